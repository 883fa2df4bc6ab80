/**
 * Upload tokens: what an account lets the pages of its visitors upload, and how often.
 *
 * A token says all of that itself, sealed by the vault: one that is never used costs no row and no call, a forged one is
 * refused without asking anybody, and what it has done with the picture (which may name a store) is readable to no page.
 * Only how often it was used is kept, in the account's meter, and until the token ends.
 */
import { MAX_UPLOAD_TOKEN_CHARACTERS } from "../limits/tokens.ts";
import { CHECKSUM_CHARACTERS, checksumOf } from "./keys.ts";
import type { Vault } from "./vault.ts";

/** What a token lets its bearer do. */
export interface UploadGrant {
  /** UUID: under this name its uses are counted. */
  readonly id: string;
  readonly account: string;
  /** The id of the key that made it, and in whose name it acts: it ends with that key. */
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly uses: number;
  readonly maxBytes?: number;
  /** Whose pages may read the answer. */
  readonly origins?: readonly string[];
  /** What is done with the picture, as a request says it. */
  readonly data: object;
}

export const UPLOAD_TOKEN_PREFIX = "du_";
/** What a secret is sealed for cannot be changed afterward: nothing else that the vault has sealed opens as a token. */
const CONTEXT = "upload token";
const BASE64 = { alphabet: "base64url", omitPadding: true } as const;

/** @throws ApiError 500 without a VAULT_KEY */
export async function sealUploadToken(vault: Vault, grant: UploadGrant): Promise<string> {
  const token = UPLOAD_TOKEN_PREFIX + (await vault.seal(grant, CONTEXT)).toBase64(BASE64);
  return token + checksumOf(token);
}

/** What a token says, whether it has ended or not; undefined when it is none of ours. */
export async function openUploadToken(vault: Vault, token: string): Promise<UploadGrant | undefined> {
  if (!mayBeUploadToken(token)) return undefined;
  try {
    const sealed = Uint8Array.fromBase64(token.slice(UPLOAD_TOKEN_PREFIX.length, -CHECKSUM_CHARACTERS), BASE64);
    return (await vault.openJson(sealed, CONTEXT)) as UploadGrant;
  } catch {
    // Guessed, or sealed under a key that is not used any more: its bearer is told the same of both.
    return undefined;
  }
}

/** Tells a token from what was guessed or mistyped before anything is computed. */
export function mayBeUploadToken(text: string): boolean {
  if (!text.startsWith(UPLOAD_TOKEN_PREFIX) || text.length > MAX_UPLOAD_TOKEN_CHARACTERS) return false;
  return text.slice(-CHECKSUM_CHARACTERS) === checksumOf(text.slice(0, -CHECKSUM_CHARACTERS));
}
