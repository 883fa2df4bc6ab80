/**
 * Signatures of notifications after the Standard Webhooks specification (standardwebhooks.com, version 1.0.0):
 * HMAC-SHA256 over `id.timestamp.body` with the exact bytes that are sent, one signature per secret in force.
 */
import { Buffer } from "node:buffer";

const PREFIX = "whsec_";
/** The specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A fresh secret, as receivers are given it. */
export function newSecret(): string {
  return PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64");
}

/**
 * The three headers of one attempt.
 * @param timestamp seconds since 1970 of this attempt
 * @param secrets as `newSecret` writes them, the one in force first
 */
export async function signatureHeaders(
  id: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, content)));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}

async function signature(secret: string, content: Uint8Array): Promise<string> {
  const raw = Buffer.from(secret.slice(PREFIX.length), "base64");
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return `v1,${Buffer.from(await crypto.subtle.sign("HMAC", key, content)).toString("base64")}`;
}
