import { Module } from '@nestjs/common';
import { PublishWaitingEvents } from '@mgw/contracts';
import { egressOf } from '@mgw/egress';
import { onRow } from '@mgw/postgres';
import { countUpTo, operatorControllers, outboxRelay, personalDataController, retention, sealerOf, storedSecrets } from '@mgw/service';
import { AutoReplyConfig } from './auto-reply.config';
import { autoReplyPersonalData } from './personal-data';
import { QuestionsConsumer } from './replying/questions.consumer';
import { ModelService } from './replying/model.service';
import { RepliesHandlers } from './replying/replies.handlers';
import { RepliesStore } from './replying/replies.store';
import { ReplyService } from './replying/reply.service';
import { UnclearReplies } from './replying/unclear-replies.service';
import { WorkerService } from './replying/worker.service';
import { BusinessAccess } from './settings/business-access.service';
import { SettingsHandlers } from './settings/settings.handlers';
import { SettingsStore } from './settings/settings.store';

const METRICS = {
  replies_waiting: countUpTo(`FROM auto_reply.replies WHERE state = 'pending' ORDER BY due_at`),
  replies_failed_last_hour: countUpTo(
    `FROM auto_reply.replies WHERE ended_at > now() - interval '1 hour' AND ${onRow(`state = 'failed'`)} ORDER BY ended_at DESC`,
  ),
};

const SEALED = [
  { table: 'auto_reply.settings', key: 'business_id', column: 'api_key_sealed', context: `'auto_reply.api_key:' || business_id` },
];

/** Pending questions have no `ended_at` and stay. */
const autoReplyRetention = ({ repliesDays }: AutoReplyConfig) => ({
  rows: [{ table: 'auto_reply.replies', where: `ended_at < now() - interval '${repliesDays} days'` }],
});

@Module({
  controllers: [
    SettingsHandlers,
    RepliesHandlers,
    ...operatorControllers('auto-reply', 'auto_reply', METRICS),
    personalDataController('auto-reply', 'auto_reply', autoReplyPersonalData),
  ],
  providers: [
    BusinessAccess,
    SettingsStore,
    RepliesStore,
    ModelService,
    ReplyService,
    WorkerService,
    UnclearReplies,
    QuestionsConsumer,
    retention(AutoReplyConfig, autoReplyRetention),
    storedSecrets('auto-reply', SEALED),
    sealerOf(AutoReplyConfig),
    ...egressOf(AutoReplyConfig),
    outboxRelay(['PUBLIC'], PublishWaitingEvents),
  ],
})
export class AutoReplyModule {}
