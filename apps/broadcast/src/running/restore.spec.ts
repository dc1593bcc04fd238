import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ResumeBroadcast, SendTemplate } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { Broadcasts } from '../../test/broadcasts.fixture';
import { service } from '../main';

const OPERATIONS = readFileSync(join(__dirname, '../../../../docs/operations.md'), 'utf8');
const statement = () => /UPDATE broadcast\.broadcasts [^;]+;/.exec(OPERATIONS)?.[0] ?? '';

describe('docs/operations.md: a restored database', () => {
  it.each<[string, Date | null]>([
    ['was running', null],
    ['was scheduled', new Date(Date.now() + 3_600_000)],
  ])('starts no broadcast that %s, until somebody resumes it', async (_, scheduledAt) => {
    const broadcasts = await Broadcasts.start();
    const { harness } = broadcasts;
    const sent: (number | undefined)[] = [];
    harness.respond(SendTemplate, ({ sender, to }) => {
      sent.push(sender.broadcast_id);
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
    const before = await harness.run(service);
    const restored = await broadcasts.create(3, { scheduled_at: scheduledAt?.toISOString() ?? null });
    const completes = (id: number) => eventually(async () => (await broadcasts.get(id)).broadcast.status === 'completed');
    if (scheduledAt === null) await completes(restored);
    await before.stop();
    // Stands for the restore: the broadcast is as it was before its first send.
    await harness.db.query(`UPDATE broadcast.recipients SET state = 'pending', attempts = 0, message_id = NULL, attempted_at = NULL`);
    await harness.db.query(
      `UPDATE broadcast.broadcasts SET status = $1, finished_at = NULL, sent = 0, scheduled_at = least(scheduled_at, now())`,
      [scheduledAt === null ? 'running' : 'scheduled'],
    );
    sent.length = 0;
    await harness.db.query(statement());

    await harness.run(service);
    const later = await broadcasts.create(1);
    await completes(later);
    expect(sent).toEqual([later]);
    await harness.rpc.call(ResumeBroadcast, { business_id: 1, id: restored });
    await completes(restored);
    await harness.close();
  });
});
