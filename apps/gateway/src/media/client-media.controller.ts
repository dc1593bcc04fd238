import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditStore } from '../audit/audit.store';
import { Responds } from '../responses/responds';
import { HasOwnShare } from '../sessions/read-shares';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { MediaQuery, UploadQuery } from './media.requests';
import { MEDIA_ERRORS, MediaInfo, UPLOAD_ERRORS, UploadedMedia } from './media.responses';
import { MediaService } from './media.service';
import { UploadService } from './upload.service';

/** Files of the inbox. */
@Controller('api/client/media')
@NeedsSession()
export class ClientMediaController {
  constructor(
    private readonly media: MediaService,
    private readonly uploads: UploadService,
    private readonly audit: AuditStore,
  ) {}

  @Post()
  @Responds(UploadedMedia, 'Upload a file, to send it by its id', { errors: UPLOAD_ERRORS, takesFile: true })
  upload(@CurrentUser() { user_id, business_id }: BusinessUser, @Query() { filename }: UploadQuery, @Req() request: FastifyRequest) {
    return this.audit.record(
      { user_id, business_id, action: 'file.uploaded', target: null, detail: {} },
      () => this.uploads.upload(business_id, filename, request),
      ({ media_id }) => ({ target: `file:${media_id}` }),
    );
  }

  @Get(':media_id')
  @HasOwnShare()
  @Responds(MediaInfo, 'Download a file, whole or a range of it, or describe it', { errors: MEDIA_ERRORS, file: true })
  get(
    @CurrentUser() { business_id }: BusinessUser,
    @Param('media_id') mediaId: string,
    @Query() { info }: MediaQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MediaInfo> {
    if (info !== undefined) return this.media.info(business_id, mediaId, request.id);
    return this.media.download(business_id, mediaId, request, reply);
  }
}
