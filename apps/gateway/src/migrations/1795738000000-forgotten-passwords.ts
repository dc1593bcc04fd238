import { migration } from '@mgw/postgres';

const INDEX = `
CREATE INDEX audit_forgotten ON access.audit (user_id, at) WHERE action = 'password.forgotten';
`;

export const ForgottenPasswords1795738000000 = migration('ForgottenPasswords1795738000000', INDEX);
