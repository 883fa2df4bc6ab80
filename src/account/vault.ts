/**
 * What must not be readable at rest: AES-256-GCM (NIST SP 800-38D) under the operator's VAULT_KEY, with a fresh random
 * nonce each time. The context (what it is and whose) is authenticated with it, so that one row's secret cannot be
 * moved into another row.
 */
import { ApiError } from "../errors.ts";

/** Layout: version, key id, nonce, ciphertext with its 16-byte tag. */
const VERSION = 1;
const HEAD_BYTES = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export interface Vault {
  /** Objects are sealed as JSON. */
  readonly seal: (plain: Uint8Array | object, context: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** @throws ApiError 500 when it was sealed under another key or context, or was changed since */
  readonly open: (sealed: Uint8Array, context: string) => Promise<Uint8Array<ArrayBuffer>>;
  /** What `open` gives, read as JSON. */
  readonly openJson: (sealed: Uint8Array, context: string) => Promise<unknown>;
}

interface Key {
  /** Tells a secret of an older key from a damaged one; the first byte of the key's SHA-256. */
  readonly id: number;
  readonly key: CryptoKey;
}

/** @throws ApiError 500, at the first use, when `vaultKey` is not 32 bytes in base64 */
export function vaultOf(vaultKey: string | undefined): Vault {
  let imported: Promise<Key> | undefined;
  const keyOf = () => (imported ??= importKey(vaultKey));
  const open: Vault["open"] = async (sealed, context) => openWith(await keyOf(), sealed, context);
  return {
    seal: async (plain, context) => sealWith(await keyOf(), plain, context),
    open,
    openJson: async (sealed, context) => JSON.parse(new TextDecoder().decode(await open(sealed, context))) as unknown,
  };
}

async function importKey(vaultKey: string | undefined): Promise<Key> {
  const bytes = vaultKey === undefined ? undefined : fromBase64(vaultKey);
  if (bytes?.length !== KEY_BYTES) throw failure("The secret VAULT_KEY must be 32 bytes in base64");
  const [id = 0] = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { id, key: await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]) };
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function sealWith(
  { id, key }: Key,
  plain: Uint8Array | object,
  context: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = plain instanceof Uint8Array ? plain : new TextEncoder().encode(JSON.stringify(plain));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(algorithm(nonce, id, context), key, bytes);
  const sealed = new Uint8Array(HEAD_BYTES + NONCE_BYTES + ciphertext.byteLength);
  sealed.set([VERSION, id]);
  sealed.set(nonce, HEAD_BYTES);
  sealed.set(new Uint8Array(ciphertext), HEAD_BYTES + NONCE_BYTES);
  return sealed;
}

async function openWith({ id, key }: Key, sealed: Uint8Array, context: string): Promise<Uint8Array<ArrayBuffer>> {
  if (sealed.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || sealed[0] !== VERSION)
    throw failure("Not a sealed secret");
  if (sealed[1] !== id) throw failure("Sealed under another VAULT_KEY");
  const nonce = sealed.slice(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
  const ciphertext = sealed.slice(HEAD_BYTES + NONCE_BYTES);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm(nonce, id, context), key, ciphertext));
  } catch (cause) {
    throw failure("A sealed secret does not open", cause);
  }
}

function algorithm(
  nonce: Uint8Array<ArrayBuffer>,
  id: number,
  context: string,
): { name: "AES-GCM"; iv: Uint8Array<ArrayBuffer>; additionalData: Uint8Array<ArrayBuffer> } {
  const name = new TextEncoder().encode(context);
  const additionalData = new Uint8Array(HEAD_BYTES + name.length);
  additionalData.set([VERSION, id]);
  additionalData.set(name, HEAD_BYTES);
  return { name: "AES-GCM", iv: nonce, additionalData };
}

/** The operator's affair: logged with its reason, answered without. */
function failure(reason: string, cause?: unknown): ApiError {
  return new ApiError(500, "Internal error", { cause: new Error(reason, { cause }) });
}
