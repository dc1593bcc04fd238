import { join } from 'node:path';
import { spawnNode, type NodeChild } from '@mgw/testing';

/** A real provider in a process of its own. */
export class OidcProvider {
  private constructor(
    readonly issuer: string,
    private readonly child: NodeChild,
  ) {}

  static async start(redirectUri: string): Promise<OidcProvider> {
    const child = spawnNode(join(__dirname, 'oidc-provider.process.mjs'), { REDIRECT_URI: redirectUri });
    const line = await child.printed(/^issuer /);
    return new OidcProvider(line.replace('issuer ', ''), child);
  }

  /** Logs in there as a browser does. @returns the query of the callback */
  async logIn(authorizationUrl: string, login: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = new URL(authorizationUrl);
    let form: URLSearchParams | undefined;
    while (url.origin === this.issuer) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie }, ...(form && { method: 'POST', body: form }) });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      // The page with the form for the password.
      form = location === null ? new URLSearchParams({ prompt: 'login', login, password: 'any' }) : undefined;
      if (location !== null) url = new URL(location, url);
    }
    return url.search;
  }

  stop = () => this.child.kill();
}
