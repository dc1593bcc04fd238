import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { RestMediaQuery, RestUploadQuery } from '../media/media.requests';
import { MEDIA_ERRORS, MediaInfo, UPLOAD_ERRORS, UploadedMedia } from '../media/media.responses';
import { MediaService } from '../media/media.service';
import { UploadService } from '../media/upload.service';
import { Responds } from '../responses/responds';

@Controller('api/v1/media')
@RestApi()
export class MediaController {
  constructor(
    private readonly media: MediaService,
    private readonly uploads: UploadService,
  ) {}

  @Post()
  @Needs('send_media')
  @Responds(UploadedMedia, 'Upload a file, to send it by its id', { errors: UPLOAD_ERRORS, repeatable: false, takesFile: true })
  upload(@CurrentCaller() { party, request }: Caller, @Query() { filename }: RestUploadQuery) {
    return this.uploads.upload(party.business.id, filename, request);
  }

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
