import { Controller } from '@nestjs/common';
import { FindAccess } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { ApiKeysStore } from '../api-keys/api-keys.store';

/** Serves the current plan, time zone and daily cap to services whose work outlives the request that began it (decision 705). */
@Controller()
export class AccessHandlers {
  constructor(private readonly keys: ApiKeysStore) {}

  @Handles(FindAccess)
  find: Handler<typeof FindAccess> = async ({ parties }) => ({ found: await this.keys.findInForce(parties) });
}
