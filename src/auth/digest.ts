/** Secrets, their hashes, and comparing them in constant time. */

/** 256 random bits, in 43 characters that are safe in URLs and headers. */
export function makeSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** SHA-256 in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  return toHex(await digest(text));
}

/** HMAC-SHA-256 in hexadecimal digits. */
export async function sign(key: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = new TextEncoder().encode(key);
  const imported = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  return toHex(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)));
}

/** Takes the same time wherever the texts differ and however long they are: it compares all of their hashes. */
export async function isSameSecret(left: string, right: string): Promise<boolean> {
  const [one, other] = await Promise.all([digest(left), digest(right)]);
  const others = new Uint8Array(other);
  const difference = new Uint8Array(one).reduce(
    (sum, byte, i) => sum | (byte ^ (others[i] ?? 0)),
    0,
  );
  return difference === 0;
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCodePoint(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
