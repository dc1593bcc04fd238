// Creates the services' roles in PostgreSQL for docker compose. DATABASE_URL and PGPASSWORD are the administrator's. node compose-roles.mjs <folder of the stack>
import { setUpRoles } from '../access/postgres.mjs';
import { loadComposeSecrets } from './secrets.mjs';

await setUpRoles(process.env.DATABASE_URL, loadComposeSecrets(process.argv[2]).passwords.postgres);
