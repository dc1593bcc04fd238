import type { Provider } from '@nestjs/common';
import { openFileStore } from '@mgw/media';
import { GatewayConfig } from '../gateway.config';

/** The FileStore of MEDIA_STORE, or null. */
export const FILE_STORE = Symbol('the file store');

export const fileStore: Provider = {
  provide: FILE_STORE,
  inject: [GatewayConfig],
  useFactory: ({ mediaStore }: GatewayConfig) => openFileStore(mediaStore),
};
