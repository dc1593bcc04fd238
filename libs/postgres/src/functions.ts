import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Client } from 'pg';
import { TABLE_LOCK_WITHIN_MS } from './unlocked';

/** A file of SQL functions and of the triggers that call them, beside the topic whose rule it states. */
interface FunctionFile {
  /** Path below the service's sources: `intents/reserve.sql`. */
  name: string;
  sql: string;
}

const COMMENT = /--[^\n]*\n/;
const FUNCTION = /CREATE OR REPLACE FUNCTION\b[^$]*\$\$[\s\S]*?\$\$[^;$]*;/;
const TRIGGER = /CREATE OR REPLACE TRIGGER\b[^;$]*;/;
const STATEMENTS = new RegExp(`^(?:\\s*(?:${COMMENT.source}|${FUNCTION.source}|${TRIGGER.source}))*\\s*$`);

/**
 * Reads every `*.sql` file below a service's sources.
 * @throws Error if a file holds anything but CREATE OR REPLACE FUNCTION (with a `$$` body) and CREATE OR REPLACE TRIGGER
 */
export function functionFilesIn(directory: string): FunctionFile[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name), 'utf8');
      if (!STATEMENTS.test(sql))
        throw new Error(`${name}: only CREATE OR REPLACE FUNCTION … $$ … $$; and CREATE OR REPLACE TRIGGER …; are allowed`);
      return { name, sql };
    });
}

/**
 * Applies the files whose checksum changed, all in one transaction, so that a service never sees half of a change. A function with a new
 * signature needs a new name, because the previous version still runs during an update.
 * @returns the names of the applied files
 */
export async function applyFunctions(client: Client, schema: string, files: readonly FunctionFile[]): Promise<string[]> {
  const table = `${client.escapeIdentifier(schema)}.applied_functions`;
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${TABLE_LOCK_WITHIN_MS}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${table} (file text PRIMARY KEY, checksum text NOT NULL)`);
    const { rows } = await client.query<{ file: string; checksum: string }>(`SELECT file, checksum FROM ${table}`);
    const applied = new Map(rows.map(({ file, checksum }) => [file, checksum]));
    const changed = files.filter(({ name, sql }) => applied.get(name) !== checksumOf(sql));
    // Functions call each other; PostgreSQL resolves the names when they run.
    await client.query('SET LOCAL check_function_bodies = off');
    for (const { name, sql } of changed) await applyFile(client, table, name, sql);
    await client.query('COMMIT');
    return changed.map(({ name }) => name);
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function applyFile(client: Client, table: string, name: string, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
  await client.query(`INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT (file) DO UPDATE SET checksum = excluded.checksum`, [
    name,
    checksumOf(sql),
  ]);
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
