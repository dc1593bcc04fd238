import type { GraphTemplate } from '@mgw/platform-api';
import { demoTemplates } from './demo-templates';

export interface AccountFields {
  name: string;
  phone_number_id: string;
  business_account_id: string;
  display_phone_number: string;
  access_token: string;
  app_secret: string;
}

/** A business on the platform: one number, its templates and its secrets. */
export interface Account extends AccountFields {
  /** `CONNECTED` can send. */
  status: string;
  templates: GraphTemplate[];
}

/** The accounts that exist; a new one has the templates of the demo. */
export class Accounts {
  private readonly byNumber = new Map<string, Account>();
  private made = 0;

  constructor(appSecret: string) {
    const first = { business_account_id: '800900100200301', phone_number_id: '700100200300401', display_phone_number: '12025550101' };
    const second = { business_account_id: '800900100200302', phone_number_id: '700100200300402', display_phone_number: '13125550102' };
    this.add({ name: 'Kaveri Looms', access_token: 'EAAsimKaveri', app_secret: appSecret, ...first });
    this.add({ name: 'Northlight Clinic', access_token: 'EAAsimNorthlight', app_secret: appSecret, ...second });
  }

  /** Makes it, or changes the one with that number. */
  add(fields: AccountFields): Account {
    const known = this.byNumber.get(fields.phone_number_id);
    if (known) return Object.assign(known, fields);
    const account = { ...fields, status: 'CONNECTED', templates: demoTemplates((this.made += 1)) };
    this.byNumber.set(account.phone_number_id, account);
    return account;
  }

  ofNumber(phoneNumberId: string): Account | undefined {
    return this.byNumber.get(phoneNumberId);
  }

  ofBusinessAccount(id: string): Account | undefined {
    return this.all().find((account) => account.business_account_id === id);
  }

  all(): Account[] {
    return [...this.byNumber.values()];
  }
}
