import { AckPolicy } from 'nats';
import { openShop } from './shop.fixture';
import { StreamProgress } from './stream-progress';
import { ensureStreams } from './streams';

it('decision 256: the progress of a stream is that of the consumers which set the pace, not of those which gather events', async () => {
  const { nc, close } = await openShop();
  const manager = await nc.jetstreamManager();
  await ensureStreams(manager);
  for (const durable_name of ['fast', 'gathering']) await manager.consumers.add('PUBLIC', { durable_name, ack_policy: AckPolicy.Explicit });
  for (let n = 0; n < 3; n++) await nc.jetstream().publish('public.message.sent', '[]');
  const [all, followed] = [new StreamProgress(nc, 'PUBLIC', null), new StreamProgress(nc, 'PUBLIC', null, /^fast$/)];
  // The consumers have handled nothing for less than three seconds.
  expect([await all.read(), await followed.read()]).toEqual(Array(2).fill({ last: 3, handled: 0 }));
  const consumer = await nc.jetstream().consumers.get('PUBLIC', 'fast');
  for (let n = 0; n < 2; n++) await (await consumer.next())?.ackAck();
  expect([await all.read(), await followed.read()]).toEqual([
    { last: 3, handled: 0 },
    { last: 3, handled: 2 },
  ]);
  await close();
});
