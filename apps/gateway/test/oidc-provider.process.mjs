// An OpenID Connect provider for the tests: whoever logs in as `<address>` has that address, verified unless it begins with "unverified".
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const server = createServer((request, response) => answer(request, response));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const client = { client_secret: 'a secret of the client', redirect_uris: [process.env.REDIRECT_URI] };
const provider = new Provider(issuer, {
  clients: [
    { ...client, client_id: 'gateway' },
    { ...client, client_id: 'another' },
  ],
  cookies: { keys: ['a key of the tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified') }) }),
  // Everybody has agreed already.
  loadExistingGrant: async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});
const answer = provider.callback();
console.log(`issuer ${issuer}`);
