import { Controller } from '@nestjs/common';
import {
  ClaimFiles,
  EndFileTask,
  FindMedia,
  GatewayError,
  HasErasedFiles,
  HasStoredFiles,
  RecordUpload,
  type ReplyOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { MediaStore } from './media.store';
import { StoredFilesStore } from './stored-files.store';

/** Knows the business of each file. The gateway moves the bytes (decision 340). */
@Controller()
export class MediaHandlers {
  constructor(
    private readonly media: MediaStore,
    private readonly storedFiles: StoredFilesStore,
  ) {}

  @Handles(FindMedia)
  async find({ business_id, media_id }: RequestOf<typeof FindMedia>): Promise<ReplyOf<typeof FindMedia>> {
    const media = await this.media.find(business_id, media_id);
    if (!media) throw new GatewayError('NOT_FOUND', 'No resource has this id.');
    return media;
  }

  @Handles(RecordUpload)
  async recordUpload(request: RequestOf<typeof RecordUpload>): Promise<ReplyOf<typeof RecordUpload>> {
    return { expires_at: (await this.media.recordUpload(request)).toISOString() };
  }

  @Handles(ClaimFiles)
  async claim({ limit, without }: RequestOf<typeof ClaimFiles>): Promise<ReplyOf<typeof ClaimFiles>> {
    return { files: await this.storedFiles.claim(limit, without) };
  }

  @Handles(EndFileTask)
  async endTask(request: RequestOf<typeof EndFileTask>): Promise<ReplyOf<typeof EndFileTask>> {
    await this.storedFiles.end(request);
    return {};
  }

  @Handles(HasErasedFiles)
  async hasErased({ business_id, conversation_ids }: RequestOf<typeof HasErasedFiles>): Promise<ReplyOf<typeof HasErasedFiles>> {
    return { has_files: await this.storedFiles.hasErased(business_id, conversation_ids) };
  }

  @Handles(HasStoredFiles)
  async hasStored(): Promise<ReplyOf<typeof HasStoredFiles>> {
    return { has_files: await this.storedFiles.hasStored() };
  }
}
