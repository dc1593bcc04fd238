import { Controller, Inject, type Type } from '@nestjs/common';
import { erasePerson, exportPerson, type PeopleService, type RequestOf, type ResponseOf } from '@mgw/contracts';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { PersonErasure } from './person-erasure';
import { PersonExport } from './person-export';
import type { PersonalData } from './personal-data';
import { NATS } from './service.module';

/** A controller that exports and erases what a service stores about a person, its events and dead letters included. */
export function personalDataController(service: PeopleService, schema: string, data: PersonalData): Type {
  @Controller()
  class PersonalDataController {
    private readonly exports: PersonExport;
    private readonly erasure: PersonErasure;

    constructor(db: Database, @Inject(NATS) nc: NatsConnection) {
      this.exports = new PersonExport(db, data);
      this.erasure = new PersonErasure(db, nc, schema, data);
    }

    @Handles(exportPerson(service))
    export(request: RequestOf<ReturnType<typeof exportPerson>>): Promise<ResponseOf<ReturnType<typeof exportPerson>>> {
      return this.exports.page(request);
    }

    @Handles(erasePerson(service))
    erase(request: RequestOf<ReturnType<typeof erasePerson>>): Promise<ResponseOf<ReturnType<typeof erasePerson>>> {
      return this.erasure.step(request);
    }
  }
  return PersonalDataController;
}
