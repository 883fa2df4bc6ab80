/** Service-account keyfiles: what is taken of them. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { fromBase64 } from "./digest.ts";

/** The only address that is asked for tokens: a keyfile that could name another could send the service anywhere. */
export const TOKEN_URI = "https://oauth2.googleapis.com/token";

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

export async function importKey(pem: string): Promise<CryptoKey> {
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
