/** Whether somebody asks on this machine itself, which `open` mode takes for its owner. */

/** Cloudflare routes by host name, so a deployed Worker is asked for a loopback one by no stranger. */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname.toLowerCase());
}

/**
 * By the host that is asked for, and by what a proxy or a tunnel says of whom it asks for: one that
 * rewrites `Host` would else let everybody in. The server itself sets `CF-Connecting-IP`.
 */
export function isLocalRequest({ url, headers }: Request): boolean {
  return (
    isLoopback(new URL(url).hostname) &&
    listOf(headers, 'cf-connecting-ip').every(isLoopbackAddress) &&
    listOf(headers, 'x-forwarded-for').every(isLoopbackAddress) &&
    listOf(headers, 'x-real-ip').every(isLoopbackAddress) &&
    listOf(headers, 'x-forwarded-host').every(isLoopbackHost) &&
    !headers.has('forwarded') &&
    !headers.has('cf-worker')
  );
}

function listOf(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

function isLoopbackAddress(address: string): boolean {
  return /^(?:\[?::1\]?|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address);
}

function isLoopbackHost(host: string): boolean {
  return URL.canParse(`http://${host}`) && isLoopback(new URL(`http://${host}`).hostname);
}
