// An OpenID Connect provider for the tests. A login is `<address>` or `<fault>:<address>` with one of FAULTS.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const FAULTS = {
  unverified: {},
  audience: { claims: { aud: 'another' } },
  issuer: { claims: { iss: 'https://elsewhere.example' } },
  expiry: { claims: { exp: 1 } },
  signature: { key: newKey() },
};
const key = newKey();
const server = createServer((request, response) => answer(request, response));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const client = { client_secret: 'a secret of the client', redirect_uris: [process.env.REDIRECT_URI] };
const provider = new Provider(issuer, {
  clients: [
    { ...client, client_id: 'gateway' },
    { ...client, client_id: 'another' },
  ],
  jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }] },
  cookies: { keys: ['a key of the tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id.split(':').at(-1), email_verified: faultOf(id) !== 'unverified' }),
  }),
  // Everybody has agreed already.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});
provider.use(async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'token' && ctx.body.id_token) ctx.body.id_token = withFault(ctx.body.id_token);
});
const answer = provider.callback();
console.log(`issuer ${issuer}`);

function faultOf(id) {
  return id.includes(':') ? id.split(':')[0] : undefined;
}

function withFault(token) {
  const [header, payload] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  const fault = FAULTS[faultOf(claims.sub)];
  if (!fault) return token;
  const signed = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...fault.claims })).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), fault.key ?? key).toString('base64url')}`;
}

function newKey() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}
