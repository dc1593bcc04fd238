import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** Uses of the primary keys of stored messages, and of their other indexes. */
interface Uses {
  primary: number;
  others: number;
}

/** Words of other people, of whose index an empty table has no page. */
const OTHERS = 20_000;

describe('a new month, of which PostgreSQL has no statistics (guarantees §10)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const uses = async (): Promise<Uses> => {
    const [counted] = await sending.harness.db.query<Uses>(
      `SELECT coalesce(sum(idx_scan) FILTER (WHERE indisprimary), 0)::integer AS primary,
              coalesce(sum(idx_scan) FILTER (WHERE NOT indisprimary), 0)::integer AS others
       FROM pg_stat_user_indexes JOIN pg_index USING (indexrelid)
       WHERE schemaname = 'send' AND relname LIKE 'inbound_messages%'`,
    );
    return counted as Uses;
  };

  const receive = async (nth: number, name = '') => {
    const from = { phone: '919800000001', user_id: null, name };
    await sending.harness.publish(inboundEvent({ message_id: `wamid.${nth}`, text: `text ${nth}`, from }));
    await eventually(async () => (await sending.harness.published('message.received')).length === nth);
  };

  it('a message is compared with the one of the same id, not with all messages of its business', async () => {
    for (let nth = 1; nth <= 5; nth++) await receive(nth);
    // A session reports its use of indexes up to a second later.
    const { others } = await eventually(async () => {
      const now = await uses();
      return now.primary > 0 && now;
    });
    expect(others).toBe(0);
  });

  it('a new name replaces the words of the old one without reading those of other people', async () => {
    const { db } = sending.harness;
    const words = () => db.query<{ word: string }>('SELECT word FROM send.conversation_words WHERE conversation_id < 1000 ORDER BY word');
    const pagesRead = async () => {
      const [counted] = await db.query<{ pages: number }>(
        `SELECT (idx_blks_hit + idx_blks_read)::integer AS pages FROM pg_statio_user_indexes WHERE indexrelname = 'conversation_words_pkey'`,
      );
      return counted?.pages ?? 0;
    };
    await receive(6, 'Asha Rao');
    await db.query(`INSERT INTO send.conversation_words SELECT 1, 'name' || n, 1000 + n FROM generate_series(1, ${OTHERS}) AS n`);
    const before = await eventually(async () => {
      const pages = await pagesRead();
      return pages > OTHERS && pages;
    });
    await receive(7, 'Asha Iyer');
    const after = await eventually(async () => {
      const pages = await pagesRead();
      return pages > before && pages;
    });
    expect(await words()).toEqual([{ word: 'asha' }, { word: 'iyer' }]);
    expect(after - before).toBeLessThan(30);
  });
});
