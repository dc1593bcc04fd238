import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditStore, entryBy } from '../audit/audit.store';
import { Responds } from '../responses/responds';
import { HasOwnShare } from '../sessions/request-shares';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { MediaQuery, UploadQuery } from './media.requests';
import { MEDIA_ERRORS, MediaInfo, UPLOAD_ERRORS, UploadedMedia, UploadedSample } from './media.responses';
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
  @HasOwnShare()
  @Responds(UploadedMedia, 'Upload a file, to send it by its id', { errors: UPLOAD_ERRORS, takesFile: true })
  upload(@CurrentUser() user: BusinessUser, @Query() { filename }: UploadQuery, @Req() request: FastifyRequest) {
    return this.audit.record(
      entryBy(user, 'file.uploaded'),
      () => this.uploads.upload(user.business_id, filename, request),
      ({ media_id }) => ({ target: `file:${media_id}` }),
    );
  }

  @Post('samples')
  @HasOwnShare()
  @Responds(UploadedSample, 'Upload the sample of a template’s header: a picture, a video or a PDF', {
    errors: UPLOAD_ERRORS,
    takesFile: true,
  })
  uploadSample(@CurrentUser() user: BusinessUser, @Query() { filename }: UploadQuery, @Req() request: FastifyRequest) {
    const entry = entryBy(user, 'file.uploaded', null, { template_sample: true });
    return this.audit.record(entry, () => this.uploads.uploadSample(user.business_id, filename, request));
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
