import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { isEmail } from 'class-validator';
import { config, env, type Environment } from '@mgw/config';
import { Database } from '@mgw/postgres';
import { BusinessesStore } from '../businesses/businesses.store';
import { AuditStore } from '../audit/audit.store';
import { UsersService } from './users.service';
import { UsersStore } from './users.store';

/** An operator sees every business: more than is asked of other users. */
const PASSWORD_MIN = 12;
const USAGE = `usage: create-operator --email <address> --name <name>
The password, ${PASSWORD_MIN} characters or more, comes in OPERATOR_PASSWORD or on standard input.`;

class CreateOperatorConfig extends config('create-operator', {
  databaseUrl: env.url('DATABASE_URL', { doc: 'PostgreSQL', secret: true }),
  password: env.text('OPERATOR_PASSWORD', { doc: 'password of the operator, else on standard input', default: '', secret: true }),
}) {}

/** Makes an operator (product §3), run by a person on the machine. @returns what to tell them. */
export async function createOperator(args: string[], environment: Environment, stdin: Readable): Promise<string> {
  const { email = '', name = '' } = parseArgs({ args, options: { email: { type: 'string' }, name: { type: 'string' } } }).values;
  const { databaseUrl, password: given } = CreateOperatorConfig.load(environment);
  const password = given || (await text(stdin)).replace(/\r?\n$/, '');
  if (!isEmail(email) || name === '' || password.length < PASSWORD_MIN) throw new Error(USAGE);
  const db = await Database.open({ url: databaseUrl, schema: 'access', poolSize: 1, applicationName: 'create-operator' });
  try {
    const users = new UsersService(db, new UsersStore(db), new BusinessesStore(db), new AuditStore(db));
    return `Operator ${await users.addOperator({ email, name, password })} created.`;
  } finally {
    await db.close();
  }
}
