// Creates the services' roles in PostgreSQL for docker compose. DATABASE_URL and PGPASSWORD are the administrator's. node compose-roles.mjs <folder of the stack>
import { setUpRoles } from '../access/postgres.mjs';
import { readSecrets } from './secrets.mjs';

await setUpRoles(process.env.DATABASE_URL, readSecrets(process.argv[2]).passwords.postgres);
