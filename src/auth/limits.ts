/** Sizes and times of credentials, of signing in and of registering. */

/** Below this a passphrase could be guessed in spite of the limit of attempts. */
export const OWNER_PASSPHRASE_CHARS_MIN = 12;
/** After this the owner signs in again; credentials that were granted before stay. */
export const SESSION_SECONDS = 12 * 3_600;
/** A credential that passed is not looked up again for so long, so that a call costs no read of KV. */
export const CREDENTIAL_CACHE_MS = 30_000;
/** Credentials kept by an isolate; a deployment has a few. */
export const CREDENTIALS_CACHED_MAX = 1_000;
/** Longer than any bearer token that is issued here. */
export const BEARER_CHARS_MAX = 512;
/** Unknown bearer tokens that an isolate remembers, so that a flood of them does not read KV each time. */
export const UNKNOWN_CREDENTIALS_CACHED_MAX = 10_000;
/** Bytes of a form, which are some hundreds. */
export const FORM_BODY_BYTES_MAX = 64 * 1024;
/** Bytes of a client's registration, which strangers send and the deployment keeps. */
export const REGISTRATION_BYTES_MAX = 4 * 1024;
/** Registrations that a deployment takes in an hour, from all addresses together. */
export const REGISTRATIONS_PER_HOUR = 60;
/** A client that registered and was granted nothing is forgotten after a day. */
export const REGISTRATION_SECONDS = 86_400;
/** A client that was granted something is kept this long after it last asked for a token. */
export const GRANTED_CLIENT_SECONDS = 90 * 86_400;
/** Stands in every revision. */
export const TOKEN_NAME_CHARS_MAX = 60;
export const TOKEN_DAYS_MAX = 3_650;
/** Tokens that have not expired. The list of tokens reads each of them. */
export const API_TOKENS_MAX = 100;
/** An expired token is listed for so long, then the namespace forgets it. */
export const EXPIRED_TOKEN_SECONDS = 30 * 86_400;
/** Threads and prefixes of one credential. */
export const THREAD_PATTERNS_MAX = 50;
/** OAuth: an access token, and a grant that its client does not use. */
export const ACCESS_TOKEN_SECONDS = 3_600;
export const GRANT_IDLE_SECONDS = 30 * 86_400;
/** The period of the rate limits in `wrangler.toml`, after which a refused caller may try again. */
export const RATE_LIMIT_SECONDS = 60;
