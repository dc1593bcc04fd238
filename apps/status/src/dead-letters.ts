import { runDeadLetters } from '@mgw/service';

void runDeadLetters({ schema: 'status' });
