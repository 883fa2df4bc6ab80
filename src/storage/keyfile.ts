/** Service-account keyfiles: what is taken of them, and the tokens they buy (RFC 7523). */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { base64Url, fromBase64 } from "./digest.ts";
import { readJson, type Session } from "./session.ts";
import type { Grant } from "./tokens.ts";

/** The only address that is asked for tokens: a keyfile that could name another could send the service anywhere. */
const TOKEN_URI = "https://oauth2.googleapis.com/token";
/** Setting access lists needs full control. */
const SCOPE = "https://www.googleapis.com/auth/devstorage.full_control";
const LIFETIME_SECONDS = 3_600;

const Shape = v.object({
  type: v.literal("service_account"),
  client_email: v.pipe(v.string(), v.maxLength(320), v.email()),
  private_key: v.pipe(v.string(), v.maxLength(8_192)),
  private_key_id: v.optional(v.pipe(v.string(), v.maxLength(128))),
  token_uri: v.literal(TOKEN_URI),
  project_id: v.optional(v.pipe(v.string(), v.maxLength(128))),
});

/** A service account's credentials; further members of the file are dropped. */
export type Keyfile = v.InferOutput<typeof Shape>;

/**
 * A keyfile that can be used.
 * @throws ApiError 422 naming the member that is missing or wrong
 */
export async function parseKeyfile(value: unknown): Promise<Keyfile> {
  const parsed = v.safeParse(Shape, value, { abortEarly: true });
  if (!parsed.success)
    throw new ApiError(422, `The keyfile ${RULES[String(parsed.issues[0].path?.[0]?.key)] ?? RULES["type"]}`);
  try {
    await importKey(parsed.output.private_key);
  } catch (cause) {
    throw new ApiError(422, `The keyfile ${RULES["private_key"]}`, { cause });
  }
  return parsed.output;
}

const RULES: Readonly<Record<string, string>> = {
  type: "must be a JSON object of the type service_account",
  client_email: "must have a client_email",
  private_key: "must have a private_key that is an RSA key in PEM (PKCS #8)",
  private_key_id: "must have a shorter private_key_id",
  token_uri: `must have the token_uri ${TOKEN_URI}`,
  project_id: "must have a shorter project_id",
};

const PEM = /^\s*-----BEGIN PRIVATE KEY-----([A-Za-z\d+/=\s]+)-----END PRIVATE KEY-----\s*$/;

async function importKey(pem: string): Promise<CryptoKey> {
  const body = PEM.exec(pem)?.[1];
  if (body === undefined) throw new Error("Not a PKCS #8 key in PEM");
  return crypto.subtle.importKey(
    "pkcs8",
    fromBase64(body.replace(/\s+/g, "")),
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    false,
    ["sign"],
  );
}

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
