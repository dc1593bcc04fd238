import { randomBytes } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { FindPerson, PrepareErasure, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { erasureKeyContext } from './erased-opt-outs';
import { PeopleStore } from './people.store';

@Controller()
export class PeopleHandlers {
  constructor(
    private readonly people: PeopleStore,
    private readonly sealer: Sealer,
  ) {}

  @Handles(FindPerson)
  find: Handler<typeof FindPerson> = ({ business_id, phone }) => this.people.find(business_id, phone);

  @Handles(PrepareErasure)
  async prepare({ business_id, phone }: RequestOf<typeof PrepareErasure>): Promise<ResponseOf<typeof PrepareErasure>> {
    const context = erasureKeyContext(business_id);
    const sealed = await this.people.erasureKey(business_id, this.sealer.seal(randomBytes(32).toString('base64url'), context));
    return { ...(await this.people.find(business_id, phone)), hash_key: this.sealer.open(sealed, context) };
  }
}
