import { runDeadLetters } from '@mgw/service';

void runDeadLetters({ schema: 'auto_reply' });
