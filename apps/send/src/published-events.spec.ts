import { PublishWaitingEvents } from '@mgw/contracts';
import { appendToOutbox } from '@mgw/events';
import { acceptedEvent, startHarness } from '@mgw/harness';
import { service } from './main';

describe('guarantees N5: events that follow those of the send service', () => {
  it('may be published once the service responds, because its own are in the stream', async () => {
    const harness = await startHarness(service);
    await harness.run(service);
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    await harness.db.transaction((tx) =>
      appendToOutbox(
        tx,
        'send',
        numbers.map((number) => acceptedEvent(`wamid.${number}`)),
      ),
    );
    await harness.rpc.call(PublishWaitingEvents, {});
    expect(await harness.published('message.sent')).toHaveLength(300);
    await harness.close();
  });
});
