// The roles of PostgreSQL: deploy/postgres/roles.sql, and a password for each.
import { readFileSync } from 'node:fs';
import { SERVICES } from './services.mjs';

const ROLES = new URL('../../deploy/postgres/roles.sql', import.meta.url);

const REACHABLE_WITHIN_MS = 60_000;

/** Waits for a server that starts or restarts, as the migrations do. */
async function connect(connectionString) {
  const { default: pg } = await import('pg');
  // Node.js finds no named exports in a module of several that swc wrote.
  const { default: reachable } = await import('../../dist/libs/postgres/src/reachable.js');
  const attempt = async () => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
    await client.connect();
    return client;
  };
  return reachable.whenReachable(attempt, { withinMs: REACHABLE_WITHIN_MS });
}

/**
 * Creates missing roles and corrects ownership, at each start.
 * @param {string} url of the administrator
 * @param {Record<string, string>} passwords by app
 */
export async function setUpRoles(url, passwords) {
  const client = await connect(url);
  try {
    await client.query(readFileSync(ROLES, 'utf8'));
    for (const [app, { schema }] of Object.entries(SERVICES))
      await client.query(`ALTER ROLE ${client.escapeIdentifier(schema)} PASSWORD ${client.escapeLiteral(passwords[app])}`);
  } finally {
    await client.end();
  }
}
