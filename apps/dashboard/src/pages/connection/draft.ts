import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useMe } from '../../api/session';
import { newSecret } from '../webhooks/signing-secret';

/** The values of the steps as a person entered them. Missing ones are as they were saved. */
export interface ConnectionDraft {
  phone_number_id?: string;
  business_account_id?: string;
  access_token?: string;
  app_secret?: string;
  verify_token?: string;
}

/** Secrets stay here, in memory: they outlive a visit of another page and end with a reload. */
let secrets: ConnectionDraft = {};

/** The ids survive a reload, each business's own. */
function storedIds(key: string): ConnectionDraft {
  try {
    const { phone_number_id, business_account_id } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, unknown>;
    return {
      ...(typeof phone_number_id === 'string' && { phone_number_id }),
      ...(typeof business_account_id === 'string' && { business_account_id }),
    };
  } catch {
    return {};
  }
}

/** The values that a person has entered in the steps. */
export function useConnectionDraft() {
  const key = `connection-ids-${useMe().business?.id}`;
  const [draft, setDraft] = useState<ConnectionDraft>(() => ({ ...storedIds(key), ...secrets }));
  const store = (next: ConnectionDraft) => {
    const { phone_number_id, business_account_id, ...rest } = next;
    sessionStorage.setItem(key, JSON.stringify({ phone_number_id, business_account_id }));
    secrets = rest;
    setDraft(next);
  };
  return {
    draft,
    change: (change: ConnectionDraft) => store({ ...draft, ...change }),
    /** Drops the values that were saved, and keeps those that the person entered since. */
    clear: (saved: ConnectionDraft) => {
      const present = Object.entries({ ...storedIds(key), ...secrets });
      store(Object.fromEntries(present.filter(([name, value]) => value !== saved[name as keyof ConnectionDraft])));
    },
  };
}

/** The body that saves the draft, or null if it changes nothing. A connection without a readable verify token gets a random one. */
export function bodyOf(draft: ConnectionDraft, connection: Schemas['Connection']): Schemas['SetConnectionRequest'] | null {
  const ids = {
    phone_number_id: draft.phone_number_id ?? connection.phone_number_id ?? '',
    business_account_id: draft.business_account_id ?? connection.business_account_id ?? '',
  };
  const { access_token, app_secret } = draft;
  const verify_token = connection.verify_token === null ? newSecret() : draft.verify_token;
  const secrets = Object.fromEntries(Object.entries({ access_token, app_secret, verify_token }).filter(([, value]) => value));
  const isSame = ids.phone_number_id === connection.phone_number_id && ids.business_account_id === connection.business_account_id;
  return isSame && Object.keys(secrets).length === 0 ? null : { ...ids, ...secrets };
}
