import { Accounts } from './accounts/accounts';
import { CallbackQueue } from './callbacks/callback-queue';
import { StatusBatches } from './statuses/status-batches';
import { StatusEngine } from './statuses/status-engine';
import { Clock } from './clock';
import { Load } from './people/load';
import { OneTimeCodes } from './records/one-time-codes';
import { Phones } from './records/phones';
import { RequestLog } from './records/request-log';
import { Rules } from './faults/rules';
import { SentMessages } from './records/sent-messages';
import { Limits } from './limits/limits';
import { Profile } from './profile/profile';
import { MediaStore } from './media/media-store';
import { Conversations } from './people/conversations';
import { Identities } from './people/identities';
import { People } from './people/people';
import { RefusedNumbers } from './faults/refused-numbers';
import { SeededRandom } from './random';

/** The parts that the routes share, all in memory and bounded. */
export interface SimulatorParts {
  accounts: Accounts;
  callbacks: CallbackQueue;
  batches: StatusBatches;
  engine: StatusEngine;
  conversations: Conversations;
  people: People;
  identities: Identities;
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
  /** Receives the callbacks. */
  callbackUrl: string;
  /** The callback's address in the responses. */
  shownCallbackUrl: string;
  /** Whether the state survives a restart. */
  keepsState: boolean;
  verifyToken: string;
  controlToken: string;
  seeded: SeededRandom;
  random: () => number;
  /** Closes the port for a time in milliseconds. */
  startOutage(ms: number): void;
}
