/**
 * What must not be readable at rest: AES-256-GCM (NIST SP 800-38D) under the operator's VAULT_KEY, with a fresh random
 * nonce each time. The context (what it is and whose) is authenticated with it, so that one row's secret cannot be
 * moved into another row. Of several keys the first seals and all open, so that a key can be changed.
 */
import { ApiError } from "../errors.ts";
import { joined } from "../joined.ts";

/** Layout: version, key id (the first bytes of the key's SHA-256), nonce, ciphertext with its 16-byte tag. */
const VERSION = 2;
/** The layout of the time when there was one key. */
const ONE_KEY_VERSION = 1;
const ID_BYTES: Readonly<Record<number, number>> = { [ONE_KEY_VERSION]: 1, [VERSION]: 4 };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The first bytes of anything sealed, so many, say which key sealed it. */
export const HEAD_BYTES = 5;

export interface Vault {
  /** Objects are sealed as JSON. */
  readonly seal: (plain: Uint8Array | object, context: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** @throws ApiError 500 when it was sealed under a key that is not there or another context, or was changed since */
  readonly open: (sealed: Uint8Array, context: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** What `open` gives, read as JSON. */
  readonly openJson: (sealed: Uint8Array, context: string) => Promise<unknown>;
  /** How to tell by its first HEAD_BYTES how something was sealed. */
  readonly heads: () => Promise<Heads>;
}

interface Heads {
  /** The first bytes of what is sealed as `seal` does it now. */
  readonly current: Uint8Array<ArrayBuffer>;
  /** The first bytes of what opens and is sealed otherwise: ranges, ends included, that do not overlap. */
  readonly outdated: readonly { readonly from: Uint8Array<ArrayBuffer>; readonly to: Uint8Array<ArrayBuffer> }[];
}

interface Key {
  /** Tells a secret of another key from a damaged one. */
  readonly digest: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/**
 * @param keys 32 bytes each; the first seals, all open
 * @throws ApiError 500, at the first use, when there is none
 */
export function vaultOf(keys: readonly Uint8Array<ArrayBuffer>[]): Vault {
  let imported: Promise<readonly [Key, ...Key[]]> | undefined;
  const ring = () => (imported ??= importKeys(keys));
  const open: Vault["open"] = async (sealed, context) => openWith(await ring(), sealed, context);
  return {
    seal: async (plain, context) => sealWith((await ring())[0], plain, context),
    open,
    openJson: async (sealed, context) => JSON.parse(new TextDecoder().decode(await open(sealed, context))) as unknown,
    heads: async () => headsOf(await ring()),
  };
}

async function importKeys(keys: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly [Key, ...Key[]]> {
  const [first, ...others] = await Promise.all(keys.map(importKey));
  if (!first) throw failure("The secret VAULT_KEY is not set");
  return [first, ...others];
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<Key> {
  const [digest, key] = await Promise.all([
    crypto.subtle.digest("SHA-256", bytes),
    crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
  ]);
  return { digest: new Uint8Array(digest), key };
}

async function sealWith(key: Key, plain: Uint8Array | object, context: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = plain instanceof Uint8Array ? plain : new TextEncoder().encode(JSON.stringify(plain));
  const head = headOf(key, VERSION);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(algorithm(nonce, head, context), key.key, bytes);
  return joined([head, nonce, new Uint8Array(ciphertext)]);
}

async function openWith(keys: readonly Key[], sealed: Uint8Array, context: string): Promise<Uint8Array<ArrayBuffer>> {
  const [version = 0] = sealed;
  const headBytes = 1 + (ID_BYTES[version] ?? Infinity);
  if (sealed.length < headBytes + NONCE_BYTES + TAG_BYTES) throw failure("Not a sealed secret");
  const head = sealed.slice(0, headBytes);
  const nonce = sealed.slice(headBytes, headBytes + NONCE_BYTES);
  const ciphertext = sealed.slice(headBytes + NONCE_BYTES);
  // One byte of the first layout may stand for several keys; only the right one opens.
  const named = keys.filter((key) => isEqual(headOf(key, version), head));
  if (named.length === 0) throw failure("Sealed under a key that VAULT_KEY does not hold");
  const name = algorithm(nonce, head, context);
  try {
    return new Uint8Array(await Promise.any(named.map(({ key }) => crypto.subtle.decrypt(name, key, ciphertext))));
  } catch (cause) {
    throw failure("A sealed secret does not open", cause);
  }
}

function headsOf(keys: readonly [Key, ...Key[]]): Heads {
  const current = headOf(keys[0], VERSION);
  const heads = keys.flatMap((key) => [headOf(key, ONE_KEY_VERSION), headOf(key, VERSION)]);
  const outdated = heads.filter(
    (head, index) => !isEqual(head, current) && index === heads.findIndex((other) => isEqual(other, head)),
  );
  return { current, outdated: outdated.map((head) => ({ from: padded(head, 0), to: padded(head, 255) })) };
}

function headOf({ digest }: Key, version: number): Uint8Array<ArrayBuffer> {
  return joined([Uint8Array.of(version), digest.subarray(0, ID_BYTES[version])]);
}

function padded(head: Uint8Array, byte: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(HEAD_BYTES).fill(byte);
  whole.set(head);
  return whole;
}

/** The head and the context are authenticated, not encrypted. */
function algorithm(nonce: Uint8Array<ArrayBuffer>, head: Uint8Array, context: string) {
  return { name: "AES-GCM", iv: nonce, additionalData: joined([head, new TextEncoder().encode(context)]) };
}

/** Compares bytes that are no secret. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** The operator's affair: logged with its reason, answered without. */
function failure(reason: string, cause?: unknown): ApiError {
  return new ApiError(500, "Internal error", { cause: new Error(reason, { cause }) });
}
