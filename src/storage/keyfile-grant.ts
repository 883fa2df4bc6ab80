/** The tokens that a service account's keyfile buys (RFC 7523). */
import * as v from "valibot";

import { base64Url } from "./digest.ts";
import { importKey, type Keyfile, TOKEN_URI } from "./keyfile.ts";
import { readJson, type Session } from "./session.ts";
import type { Grant } from "./tokens.ts";

/** Setting access lists needs full control. */
const SCOPE = "https://www.googleapis.com/auth/devstorage.full_control";
const LIFETIME_SECONDS = 3_600;

const Token = v.object({ access_token: v.string(), expires_in: v.number() });

/** @throws ApiError 422 when the key is refused */
export async function grantFor(keyfile: Keyfile, session: Session): Promise<Grant> {
  const answer = await session.send(async () => ({
    url: session.base === undefined ? TOKEN_URI : `${session.base}/token`,
    method: "POST",
    headers: new Headers({ accept: "application/json" }),
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: await assertion(keyfile, session.now()),
    }),
  }));
  const { access_token, expires_in } = readJson(session, answer, Token);
  return { token: access_token, expiresAt: session.now() + expires_in * 1_000 };
}

async function assertion(keyfile: Keyfile, now: number): Promise<string> {
  const issued = Math.floor(now / 1_000);
  const header = { alg: "RS256", typ: "JWT", kid: keyfile.private_key_id };
  const claims = {
    iss: keyfile.client_email,
    scope: SCOPE,
    aud: TOKEN_URI,
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
  };
  const encoder = new TextEncoder();
  const message = [header, claims].map((part) => base64Url(encoder.encode(JSON.stringify(part)))).join(".");
  const key = await importKey(keyfile.private_key);
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, encoder.encode(message));
  return `${message}.${base64Url(new Uint8Array(signature))}`;
}
