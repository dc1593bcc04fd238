import { Accounts } from './accounts/accounts';
import { CallbackQueue } from './callbacks/callback-queue';
import { StatusBatches } from './callbacks/status-batches';
import { StatusEngine } from './callbacks/status-engine';
import { Clock } from './clock';
import { Load } from './control/load';
import { OneTimeCodes } from './control/one-time-codes';
import { Phones } from './control/phones';
import { RequestLog } from './control/request-log';
import { Rules } from './control/rules';
import { SentMessages } from './graph/sent-messages';
import { Limits } from './limits/limits';
import { Profile } from './limits/profile';
import { MediaStore } from './media/media-store';
import { Conversations } from './people/conversations';
import { People } from './people/people';
import { RefusedNumbers } from './people/refused-numbers';
import { SeededRandom } from './random';

/** The parts that the routes share, all in memory and bounded. */
export interface SimulatorParts {
  accounts: Accounts;
  callbacks: CallbackQueue;
  batches: StatusBatches;
  engine: StatusEngine;
  conversations: Conversations;
  people: People;
  phones: Phones;
  sent: SentMessages;
  codes: OneTimeCodes;
  media: MediaStore;
  rules: Rules;
  refused: RefusedNumbers;
  requests: RequestLog;
  profile: Profile;
  limits: Limits;
  load: Load;
  clock: Clock;
  /** Receives the webhooks. */
  callbackUrl: string;
  verifyToken: string;
  controlToken: string;
  seeded: SeededRandom;
  random: () => number;
  /** Closes the port for a time in milliseconds. */
  startOutage(ms: number): void;
}
