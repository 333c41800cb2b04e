/** The owner at the pages, without a browser: follows redirects, keeps cookies, fills in forms. */

export interface OwnerBrowser {
  /** Where the client is sent, after signing in and allowing what it asks for. */
  allow(authorizationUrl: URL, answer: Readonly<Record<string, string>>): Promise<URL>;
}

export function openOwnerBrowser(passphrase: string): OwnerBrowser {
  const cookies = new Map<string, string>();
  const ask = async (url: URL, fields?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, origin: url.origin },
      ...(fields !== undefined && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const follow = (url: URL, response: Response) =>
    new URL(response.headers.get('location') ?? '', url);

  return {
    async allow(authorizationUrl, answer) {
      let page = await (await ask(authorizationUrl)).text();
      if (page.includes('name="passphrase"')) {
        const signIn = new URL('/sign-in', authorizationUrl);
        const next = authorizationUrl.pathname + authorizationUrl.search;
        const signedIn = await ask(signIn, { passphrase, next });
        page = await (await ask(follow(signIn, signedIn))).text();
      }
      const fields = { handle: field(page, 'handle'), proof: field(page, 'proof'), ...answer };
      const consent = new URL('/authorize', authorizationUrl);
      const answered = await ask(consent, { decision: 'allow', ...fields });
      if (answered.status !== 302) throw new Error(await answered.text());
      return follow(consent, answered);
    },
  };
}

function field(page: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1];
  if (value === undefined) throw new Error(`The page has no field ${name}:\n${page}`);
  return value;
}
