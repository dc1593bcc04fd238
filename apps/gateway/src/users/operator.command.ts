import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { isEmail } from 'class-validator';
import { config, env, type Environment } from '@mgw/config';
import { Database } from '@mgw/postgres';
import { databaseSettings } from '@mgw/service';
import { createLogger } from '@mgw/telemetry';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { PasswordLinksStore } from './password-links.store';
import { UsersService } from './users.service';
import { UsersStore } from './users.store';

/** Longer than for other users, because an operator sees every business. */
const PASSWORD_MIN = 12;
const USAGE = `usage: create-operator --email <address> --name <name>
Set the password (at least ${PASSWORD_MIN} characters) in OPERATOR_PASSWORD, or write it to standard input.`;

class CreateOperatorConfig extends config('create-operator', {
  databaseUrl: databaseSettings.databaseUrl,
  password: env.text('OPERATOR_PASSWORD', {
    doc: 'password of the operator; read from standard input when empty',
    default: '',
    secret: true,
  }),
}) {}

/** Creates an operator (spec §11) from the command line. @returns the line to print */
export async function createOperator(args: string[], environment: Environment, stdin: Readable): Promise<string> {
  const { email = '', name = '' } = parseArgs({ args, options: { email: { type: 'string' }, name: { type: 'string' } } }).values;
  const { databaseUrl, password: configured } = CreateOperatorConfig.load(environment);
  const password = configured || (await text(stdin)).replace(/\r?\n$/, '');
  if (!isEmail(email) || name === '' || password.length < PASSWORD_MIN) throw new Error(USAGE);
  const db = await Database.open({ url: databaseUrl, schema: 'access', poolSize: 1, applicationName: 'create-operator' });
  try {
    const audit = new AuditStore(db, createLogger('create-operator'));
    const users = new UsersService(db, new UsersStore(db), new PasswordLinksStore(db), new BusinessesStore(db), audit);
    return `Operator ${await users.addOperator({ email, name, password })} created.`;
  } finally {
    await db.close();
  }
}
