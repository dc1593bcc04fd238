import type { ListedConnection } from '@mgw/contracts';
import type { Sealer } from '@mgw/sealing';

/** The connection of a business: number `70<id>`, account `80<id>`, verify token `verify <id>`. */
export function listedConnection(
  sealer: Sealer,
  business_id: number,
  secret = `secret ${business_id}`,
  previous: string | null = null,
): ListedConnection {
  const seal = (plain: string, name: string) => sealer.seal(plain, `connection.${name}:${business_id}`);
  return {
    business_id,
    phone_number_id: `70${business_id}`,
    business_account_id: `80${business_id}`,
    access_token_sealed: seal('token', 'access_token'),
    app_secret_sealed: seal(secret, 'app_secret'),
    previous_app_secret_sealed: previous === null ? null : seal(previous, 'app_secret'),
    verify_token_sealed: seal(`verify ${business_id}`, 'verify_token'),
    status: 'connected',
    checked_at: null,
    problem: null,
    restriction: null,
    number_verified_at: null,
  };
}
