/** Who is calling. Closed unless proven otherwise: only a loopback host is served without credentials. */
import { MemoryError } from '#errors.ts';

export interface Principal {
  /** Opaque and stable; the first part of every object name. */
  readonly subject: string;
}

/**
 * Throws `unavailable` on any host but a loopback one: no credentials can be configured yet, and a
 * memory that anybody may read is worse than none. Cloudflare routes by host name, so a deployed
 * Worker is never asked for a loopback one.
 */
export function authenticate(request: Request): Principal {
  const { hostname } = new URL(request.url);
  if (isLoopback(hostname)) return { subject: 'local' };
  throw new MemoryError('unavailable', 'This deployment has no credentials configured.', {
    hint: 'Memory is served on localhost only: run npm start. Sign-in for deployments is not part of this version.',
  });
}

export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname.toLowerCase());
}
