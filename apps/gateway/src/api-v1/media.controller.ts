import { Controller, Get, Param, Query } from '@nestjs/common';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { RestMediaQuery } from '../media/media.requests';
import { MEDIA_ERRORS, MediaInfo } from '../media/media.responses';
import { MediaService } from '../media/media.service';
import { Responds } from '../responses/responds';

@Controller('api/v1/media')
@RestApi()
export class MediaController {
  constructor(private readonly media: MediaService) {}

  @Get(':media_id')
  @Needs('read_messages')
  @Responds(MediaInfo, 'Download a file, whole or a range of it, or describe it', { errors: MEDIA_ERRORS, file: true })
  get(
    @CurrentCaller() { party, request, reply }: Caller,
    @Param('media_id') mediaId: string,
    @Query() { info }: RestMediaQuery,
  ): Promise<MediaInfo> {
    if (info !== undefined) return this.media.info(party.business.id, mediaId, request.id);
    return this.media.download(party.business.id, mediaId, request, reply);
  }
}
