import type { Database, Tx } from '@mgw/postgres';

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}
interface Explained {
  'QUERY PLAN': [{ Plan: Node }];
}

/** Rows that statements read, by table; partitions count as their table. Rows that a join filter removes count under ''. */
type RowsRead = Record<string, number>;

/**
 * Runs statements of a store and counts the rows that their plans read. Like services it prepares them and plans them once for all values.
 * The count shows whether an index bounds a statement, however busy the machine is.
 * @param grow SQL that runs between planning and reading, and is undone: a service keeps its plans while tables grow
 */
export async function rowsRead(db: Database, read: (db: Database) => Promise<unknown>, grow?: string): Promise<RowsRead> {
  const count: RowsRead = {};
  const query: Tx['query'] = async <T>(text: string, values: unknown[] = []) => {
    add(count, await explain(db, { text, values, grow }));
    return db.query<T>(text, values);
  };
  const transaction = <T>(work: (tx: Tx) => Promise<T>) => work({ query });
  await read({ query, transaction, nonDurable: { query }, reads: () => ({ query }) } as unknown as Database);
  return count;
}

interface MetricsController {
  get(): Promise<{ metrics: Record<string, number> }>;
  onApplicationShutdown(): void;
}

/** Reads the metrics of a controller that `metricsController` made. @returns them, and the rows that they read */
export async function metricsRead(db: Database, controller: unknown): Promise<{ metrics: Record<string, number>; rows: RowsRead }> {
  let metrics: Record<string, number> = {};
  const rows = await rowsRead(db, async (reading) => {
    const made = new (controller as new (db: Database) => MetricsController)(reading);
    ({ metrics } = await made.get());
    made.onApplicationShutdown();
  });
  return { metrics, rows };
}

async function explain(db: Database, { text, values, grow }: { text: string; values: unknown[]; grow: string | undefined }): Promise<Node> {
  const client = await db.pool.connect();
  const inArray = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value));
  const literal = (value: unknown) =>
    value === null ? 'NULL' : client.escapeLiteral(Array.isArray(value) ? `{${value.map(inArray).join()}}` : String(value));
  try {
    await client.query(`PREPARE explained AS ${text}`);
    const execute = `EXECUTE explained${values.length > 0 ? `(${values.map(literal).join()})` : ''}`;
    await client.query('BEGIN');
    if (grow !== undefined) await client.query(`EXPLAIN ${execute}; ${grow}`);
    const { rows } = await client.query<Explained>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${execute}`);
    return (rows[0] as Explained)['QUERY PLAN'][0].Plan;
  } finally {
    // The statement runs once more, for its result.
    await client.query('ROLLBACK');
    await client.query('DEALLOCATE explained');
    client.release();
  }
}

function add(count: RowsRead, node: Node): void {
  const loops = node['Actual Loops'];
  const table = node['Relation Name']?.replace(/_(\d{4}_\d{2}|rest)$/, '');
  if (table !== undefined) count[table] = (count[table] ?? 0) + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * loops;
  count[''] = (count[''] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0) * loops;
  for (const child of node.Plans ?? []) add(count, child);
}
