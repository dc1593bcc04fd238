import { runDeadLetters } from '@mgw/service';
import { INGEST_LETTERS } from './receiving/dead-letters.store';

void runDeadLetters(INGEST_LETTERS);
