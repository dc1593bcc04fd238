import { Type, type Static } from '@sinclair/typebox';
import type { GraphTemplate } from '@mgw/platform-api';
import { GraphFailure } from '../graph-error';
import { demoTemplates } from './demo-templates';

const fields = {
  name: Type.String(),
  phone_number_id: Type.String({ pattern: '^\\d+$' }),
  business_account_id: Type.String({ pattern: '^\\d+$' }),
  display_phone_number: Type.String({ pattern: '^\\d+$' }),
  access_token: Type.String({ minLength: 1 }),
  app_secret: Type.String({ minLength: 1 }),
};
export const AccountFields = Type.Object(fields);
export type AccountFields = Static<typeof AccountFields>;

const Template = Type.Unsafe<GraphTemplate>(
  Type.Object({
    id: Type.String({ pattern: '^\\d+$' }),
    name: Type.String(),
    language: Type.String(),
    status: Type.String(),
    category: Type.String(),
    components: Type.Array(Type.Object({ type: Type.String() })),
  }),
);

/** A business on the platform: one number, its templates and its secrets. */
const Account = Type.Object({
  ...fields,
  /** An account sends only while it is `CONNECTED`. */
  status: Type.String(),
  /** It may reply to customers, but not start conversations. */
  restricted: Type.Boolean(),
  /** Callbacks are posted only while true. */
  subscribed: Type.Boolean(),
  templates: Type.Array(Template),
});
export type Account = Static<typeof Account>;

export const AccountsState = Type.Object({ accounts: Type.Array(Account), accounts_made: Type.Integer(), templates_made: Type.Integer() });

const MAX = 1_000;

/** All accounts. A new one has the demo's templates. */
export class Accounts {
  private readonly accounts = new Map<string, Account>();
  private made = 0;
  private templatesMade = 0;

  constructor(appSecret: string) {
    const first = { business_account_id: '800900100200301', phone_number_id: '700100200300401', display_phone_number: '12025550101' };
    const second = { business_account_id: '800900100200302', phone_number_id: '700100200300402', display_phone_number: '13125550102' };
    this.add({ name: 'Simulator account 1', access_token: 'EAAsimKaveri', app_secret: appSecret, ...first });
    this.add({ name: 'Simulator account 2', access_token: 'EAAsimNorthlight', app_secret: appSecret, ...second });
  }

  /** Creates an account, or changes the one with this number. @throws GraphFailure if there are too many */
  add(fields: AccountFields): Account {
    const known = this.accounts.get(fields.phone_number_id);
    if (known) return Object.assign(known, fields);
    if (this.accounts.size >= MAX) throw new GraphFailure(100, `the simulator has at most ${MAX} accounts`);
    const account = { ...fields, status: 'CONNECTED', restricted: false, subscribed: true, templates: demoTemplates((this.made += 1)) };
    this.accounts.set(account.phone_number_id, account);
    return account;
  }

  byNumber(phoneNumberId: string): Account | undefined {
    return this.accounts.get(phoneNumberId);
  }

  byBusinessAccount(id: string): Account | undefined {
    return this.all().find((account) => account.business_account_id === id);
  }

  byTemplate(id: string): Account | undefined {
    return this.all().find(({ templates }) => templates.some((template) => template.id === id));
  }

  /** A new id that, like the platform's, exceeds JavaScript's numbers. */
  newTemplateId(): string {
    return `92${String((this.templatesMade += 1)).padStart(16, '0')}`;
  }

  all(): Account[] {
    return [...this.accounts.values()];
  }

  state(): Static<typeof AccountsState> {
    return { accounts: this.all(), accounts_made: this.made, templates_made: this.templatesMade };
  }

  restore({ accounts, accounts_made, templates_made }: Static<typeof AccountsState>): void {
    this.accounts.clear();
    for (const account of accounts) this.accounts.set(account.phone_number_id, account);
    this.made = accounts_made;
    this.templatesMade = templates_made;
  }
}
