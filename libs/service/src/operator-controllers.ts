import { Controller, type Type } from '@nestjs/common';
import { discardDeadLetter, getDeadLetter, listDeadLetters, replayDeadLetter, type ResponseOf, type ServiceName } from '@mgw/contracts';
import { DeadLetters } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { Handles, type Handler } from '@mgw/rpc';
import { metricsController } from './service-metrics';

/** Dead letters of a list, and characters of a reason and of a body in a response. */
const LISTED = 100;
const REASON_CHARACTERS = 1_000;
const BODY_CHARACTERS = 64 * 1024;

/**
 * The controllers of every service for operators: its metrics, and its dead letters with replay and discard.
 * @param metrics SQL expressions by name, each a number
 * @param business SQL for the business of a dead letter that does not name one
 */
export function operatorControllers(service: ServiceName, schema: string, metrics?: Record<string, string>, business?: string): Type[] {
  @Controller()
  class DeadLettersController {
    private readonly deadLetters: DeadLetters;

    constructor(db: Database) {
      this.deadLetters = new DeadLetters(db, schema, business);
    }

    @Handles(listDeadLetters(service))
    async list(): Promise<ResponseOf<ReturnType<typeof listDeadLetters>>> {
      const { deadLetters, total } = await this.deadLetters.list(LISTED);
      const letters = deadLetters.map(({ id, at, reason, attempts, ...deadLetter }) => ({
        ...deadLetter,
        id: Number(id),
        at: at.toISOString(),
        tries: attempts,
        reason: reason.slice(0, REASON_CHARACTERS).toWellFormed(),
      }));
      return { letters, total };
    }

    @Handles(getDeadLetter(service))
    get: Handler<ReturnType<typeof getDeadLetter>> = async ({ id }) => ({
      body: (await this.deadLetters.body(String(id)))?.slice(0, BODY_CHARACTERS).toWellFormed() ?? null,
    });

    @Handles(replayDeadLetter(service))
    replay: Handler<ReturnType<typeof replayDeadLetter>> = async ({ id }) => ({
      found: (await this.deadLetters.requestReplay([String(id)])).length > 0,
    });

    @Handles(discardDeadLetter(service))
    discard: Handler<ReturnType<typeof discardDeadLetter>> = async ({ id }) => ({
      found: (await this.deadLetters.remove([String(id)])).length > 0,
    });
  }
  return [metricsController(service, schema, metrics), DeadLettersController];
}
