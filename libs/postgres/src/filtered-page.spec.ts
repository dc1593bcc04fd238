import { GatewayError } from '@mgw/contracts';
import { filteredPage, type Scan } from './filtered-page';
import { readCursor } from './cursor';

const slow = () => Promise.reject(new GatewayError('QUERY_TIMEOUT', 'slow'));

describe('a page of a list with a filter that no index supports', () => {
  /** A list of the numbers from `size` down to 1, in which the multiples of `every` match. */
  const listOf = (size: number, every: number) => {
    const scans: Scan[] = [];
    const scan = (scan: Scan) => {
      scans.push(scan);
      const before = Number(readCursor(scan.cursor, ['id'])?.[0] ?? size + 1);
      const rows = Array.from({ length: Math.min(scan.examined, before - 1) }, (_, i) => before - 1 - i).map((id, i) => ({
        id,
        nth: String(i + 1),
        matches: id % every === 0,
      }));
      return Promise.resolve(rows.filter(({ matches, nth }) => matches || Number(nth) === scan.examined).slice(0, scan.returned));
    };
    return { scans, scan };
  };
  const pageThrough = async ({ scan }: ReturnType<typeof listOf>, limit: number) => {
    const pages: number[][] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const { page, next_cursor }: { page: { id: number }[]; next_cursor: string | null } = await filteredPage(
        limit,
        cursor,
        scan,
        ({ id }) => [id],
      );
      pages.push(page.map(({ id }) => id));
      cursor = next_cursor;
    }
    return pages;
  };

  it.each([
    [100, 1],
    [1_000, 7],
    [500, 500],
    [5_000, 2_500],
    [120_000, 50_000],
    [200_000, 1_000_000],
    [0, 1],
  ])('pages through %i rows of which every %i-th matches: each match appears once, in order', async (size, every) => {
    for (const limit of [1, 10, 100]) {
      const expected = Array.from({ length: Math.floor(size / every) }, (_, i) => (Math.floor(size / every) - i) * every);
      if (expected.length / limit > 200) continue;
      expect((await pageThrough(listOf(size, every), limit)).flat()).toEqual(expected);
    }
  });

  it('examines a bounded number of rows and returns a cursor to continue', async () => {
    const list = listOf(1_000_000, 2_000_000);
    const { page, next_cursor } = await filteredPage(10, null, list.scan, ({ id }) => [id]);
    expect([page, list.scans.reduce((sum, { examined }) => sum + examined, 0)]).toEqual([[], 50_000]);
    expect(readCursor(next_cursor, ['id'])).toEqual(['950001']);
  });

  it('ends the page when a later scan times out, and fails when the first one does', async () => {
    const list = listOf(10_000, 450);
    const { page, next_cursor } = await filteredPage(
      10,
      null,
      (scan) => (scan.cursor === null ? list.scan(scan) : slow()),
      ({ id }) => [id],
    );
    expect([page.map(({ id }) => id), readCursor(next_cursor, ['id'])]).toEqual([[9900], ['9501']]);
    await expect(filteredPage(10, null, slow, () => [1])).rejects.toMatchObject({ error_code: 'QUERY_TIMEOUT' });
  });
});
