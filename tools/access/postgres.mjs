// The roles of PostgreSQL: deploy/postgres/roles.sql, and a password for each.
import { readFileSync } from 'node:fs';
import { SERVICES } from './services.mjs';

const ROLES = new URL('../../deploy/postgres/roles.sql', import.meta.url);

/**
 * Creates missing roles and corrects ownership, at each start.
 * @param {string} url of the administrator
 * @param {Record<string, string>} passwords by app
 */
export async function setUpRoles(url, passwords) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(readFileSync(ROLES, 'utf8'));
    for (const [app, { schema }] of Object.entries(SERVICES))
      await client.query(`ALTER ROLE ${client.escapeIdentifier(schema)} PASSWORD ${client.escapeLiteral(passwords[app])}`);
  } finally {
    await client.end();
  }
}
