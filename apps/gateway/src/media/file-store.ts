import type { Provider } from '@nestjs/common';
import { openFileStore } from '@mgw/media';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { GatewayConfig } from '../gateway.config';

/** The FileStore of MEDIA_STORE, or null. */
export const FILE_STORE = Symbol('the file store');

export const fileStore: Provider = {
  provide: FILE_STORE,
  inject: [GatewayConfig, LOGGER],
  useFactory: ({ mediaStore }: GatewayConfig, logger: Logger) =>
    openFileStore(mediaStore, (error) =>
      logger.warn({ err: error }, 'MEDIA_STORE is missing or the gateway may not write to it; files wait until it may'),
    ),
};
