import { discardDeadLetter, getDeadLetter, GetMessageStatuses, listDeadLetters, replayDeadLetter } from '@mgw/contracts';
import { acceptedEvent, startHarness, type Harness } from '@mgw/harness';
import { deadLetters } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { service } from './main';

describe('guarantees §4: the dead-letters command', () => {
  let harness: Harness;
  beforeEach(async () => (harness = await startHarness(service)));
  afterEach(() => harness.close());

  const run = (...args: string[]) => deadLetters(service, args, harness.env);
  /** Runs a command that exits with 1. @returns its output */
  const failure = (...args: string[]) =>
    run(...args).then(
      (output) => `exit code 0: ${output}`,
      (error: Error) => error.message,
    );
  const rows = async () => (await run('list')).split('\n').map((line) => line.split('\t'));
  const statusOf = (message_id: string) =>
    harness.rpc
      .call(GetMessageStatuses, { business_id: 1, message_ids: [message_id] })
      .then(({ statuses }) => statuses[0]?.delivery_status);
  /** An event with invalid data, which the status service sets aside. */
  const invalid = (id: string) => {
    const event = acceptedEvent(id);
    return { ...event, data: { ...event.data, to: 7 } };
  };

  it('lists, shows, replays and discards dead letters, and keeps those that fail again with their reason', async () => {
    expect(await run('list')).toBe('No dead letters.');
    await harness.run(service);
    await harness.publish(invalid('wamid.1'), invalid('wamid.2'));
    const [heading, first] = await eventually(async () => {
      const listed = await rows();
      return listed.length === 3 && listed;
    });
    expect(heading).toEqual(['id', 'set aside', 'consumer', 'type', 'event', 'business', 'attempts', 'reason']);
    const reason = 'data violates its contract: /to: Expected string';
    const about = ['status-acceptances', 'public.message.sent', invalid('wamid.1').id, '1'];
    expect(first).toEqual(['1', expect.stringMatching(/^\d{4}-.*Z$/), ...about, '1', reason]);
    expect(JSON.parse(await run('show', '1'))).toEqual(invalid('wamid.1'));

    // An operator sees and does the same on the dashboard.
    const { letters, total } = await harness.rpc.call(listDeadLetters('status'), {});
    const seen = { consumer: about[0], subject: about[1], event_id: about[2], business: about[3], tries: 1, reason };
    expect([total, letters[0]]).toEqual([2, { id: 1, at: first?.[1], ...seen, replay_requested: false }]);
    const { body } = await harness.rpc.call(getDeadLetter('status'), { id: 1 });
    expect(JSON.parse(body ?? '')).toEqual(invalid('wamid.1'));
    for (const operation of [replayDeadLetter, discardDeadLetter])
      expect(await harness.rpc.call(operation('status'), { id: 99 })).toEqual({ found: false });
    expect(await harness.rpc.call(getDeadLetter('status'), { id: 99 })).toEqual({ body: null });

    expect(await failure('replay', '1', '99')).toBe(`0 replayed.\n1 failed again: ${reason}\n99 does not exist.`);
    expect((await rows())[1]).toEqual(['1', first?.[1], ...about, '2', reason]);
    // Stands for a version that accepts the event.
    await harness.db.query(`UPDATE status.dead_letters SET body = $1 WHERE id = 1`, [JSON.stringify(acceptedEvent('wamid.1'))]);
    expect(await failure('replay', 'all')).toBe(`1 replayed.\n2 failed again: ${reason}`);
    expect(await statusOf('wamid.1')).toBe('sent');

    expect(await harness.rpc.call(discardDeadLetter('status'), { id: 2 })).toEqual({ found: true });
    expect(await failure('discard', '2')).toBe('0 discarded.\n2 does not exist.');
    expect([await run('list'), await failure('show', '2')]).toEqual(['No dead letters.', '2 does not exist.']);
  });

  it('a replay waits until the service runs; two requests replay a letter once', async () => {
    const letter = ['status-acceptances', 'public.message.sent', JSON.stringify(acceptedEvent('wamid.1')), 'the database\nrefused', 10];
    await harness.db.query(
      `INSERT INTO status.dead_letters (consumer, subject, body, reason, attempts) VALUES ($1, $2, $3, $4, $5)`,
      letter,
    );
    const replays = [run('replay', 'all'), run('replay', '1')];
    await eventually(async () => (await rows())[1]?.at(-1) === '(to be replayed) the database refused');
    await harness.run(service);
    expect(await Promise.all(replays)).toEqual(['1 replayed.', '1 replayed.']);
    expect(await harness.db.query('SELECT message_id FROM status.records')).toEqual([{ message_id: 'wamid.1' }]);
  });

  it('prints its usage for any other arguments', async () => {
    for (const args of ['', 'list 1', 'list ', 'show', 'show 1 2', 'replay', 'replay x', 'replay 0', 'discard', 'discard all', 'toString'])
      await expect(run(...args.split(' ')).catch((fault: Error) => fault.message)).resolves.toMatch(/^usage: dead-letters list\n/);
  });
});
