import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { MediaQuery } from './media.requests';
import { MEDIA_ERRORS, MediaInfo } from './media.responses';
import { MediaService } from './media.service';

/** Files of the inbox. */
@Controller('api/client/media')
@NeedsSession()
export class ClientMediaController {
  constructor(private readonly media: MediaService) {}

  @Get(':media_id')
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
