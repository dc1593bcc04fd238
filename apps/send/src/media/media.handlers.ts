import { Controller } from '@nestjs/common';
import {
  ClaimFiles,
  EndFileTask,
  FindMedia,
  HasErasedFiles,
  HasStoredFiles,
  notFound,
  RecordUpload,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
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
  async find({ business_id, media_id }: RequestOf<typeof FindMedia>): Promise<ResponseOf<typeof FindMedia>> {
    const media = await this.media.find(business_id, media_id);
    if (!media) throw notFound();
    return media;
  }

  @Handles(RecordUpload)
  recordUpload: Handler<typeof RecordUpload> = async (request) => ({ expires_at: (await this.media.recordUpload(request)).toISOString() });

  @Handles(ClaimFiles)
  claim: Handler<typeof ClaimFiles> = async ({ limit, without }) => ({ files: await this.storedFiles.claim(limit, without) });

  @Handles(EndFileTask)
  endTask: Handler<typeof EndFileTask> = (request) => this.storedFiles.end(request);

  @Handles(HasErasedFiles)
  hasErased: Handler<typeof HasErasedFiles> = async ({ business_id, conversation_ids }) => ({
    has_files: await this.storedFiles.hasErased(business_id, conversation_ids),
  });

  @Handles(HasStoredFiles)
  hasStored: Handler<typeof HasStoredFiles> = async () => ({ has_files: await this.storedFiles.hasStored() });
}
