// These parts share one stack, because a start costs about ten seconds of CPU. Each has businesses of its own.
import './access.part';
import './auto-reply.part';
import './dashboard-api.part';
import './docs-samples.part';
import './documented-dashboard.part';
import './main-journey.part';
import './platform-cases.part';
import './rest-api.part';
import { stopSharedStack } from './stack';

afterAll(stopSharedStack);
