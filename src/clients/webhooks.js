/** Notifications: their types, and the check of their signature after Standard Webhooks 1.0.0. */

/** @import { BatchEnded, BudgetAlert, Failure, SetSuccess, Success } from "./api-types.js" */

/**
 * What is posted to a webhook: the answer that the request would have had, a batch at its end, a budget.
 * @typedef {Success | SetSuccess | Failure | BatchEnded | BudgetAlert} Notification
 */

/**
 * A notification as it came in.
 * @typedef {object} Received
 * @property {Headers | Readonly<Record<string, string | readonly string[] | undefined>>} headers
 * @property {string | Uint8Array} body The bytes as they came, before anything has parsed them.
 */

/** A notification that is not to be believed: its signature is wrong, missing, or of another time. */
export class SignatureError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "SignatureError";
  }
}

/** How far the clocks of sender and receiver may be apart, as the specification recommends. */
const TOLERANCE_SECONDS = 300;
/** Each signature is compared with one of the whole body: a list of thousands would keep a receiver busy. */
const MAX_SIGNATURES = 16;
const SIGNATURE_BYTES = 32;

/**
 * The content of a notification whose signature is right. One that is sent again within the tolerance is right as well: who
 * must act once remembers `webhook-id`.
 * @param {Received} received
 * @param {string | readonly string[]} secret `whsec_…`; several while one is replaced by another.
 * @param {{ tolerance?: number, now?: number }} [options] Seconds that its time may differ by, and milliseconds since 1970.
 * @returns {Promise<Notification>}
 * @throws {SignatureError} when it is not to be believed
 */
export async function readNotification(
  { headers, body },
  secret,
  { tolerance = TOLERANCE_SECONDS, now = Date.now() } = {},
) {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signature) throw new SignatureError("The notification has no signature");
  // What is no number is within no tolerance.
  if (!/^\d+$/.test(timestamp) || !(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) {
    throw new SignatureError("The notification is of another time");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + bytes.length);
  content.set(head);
  content.set(bytes, head.length);
  const listed = signature.split(" ").filter((one) => one.startsWith("v1,"));
  if (listed.length > MAX_SIGNATURES) throw new SignatureError("The notification has too many signatures");
  const given = listed.map((one) => bytesOf(one.slice(3))).filter((one) => one.length === SIGNATURE_BYTES);
  const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map(keyOf));
  const pairs = keys.flatMap((key) => given.map((one) => crypto.subtle.verify("HMAC", key, one, content)));
  if (!(await Promise.all(pairs)).includes(true))
    throw new SignatureError("The signature of the notification is wrong");
  return JSON.parse(new TextDecoder().decode(bytes));
}

/**
 * @param {Received["headers"]} headers
 * @param {string} name
 * @returns {string | undefined}
 */
function headerOf(headers, name) {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.[0];
}

/** @param {string} secret */
async function keyOf(secret) {
  const raw = bytesOf(secret.replace(/^whsec_/, ""));
  return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/**
 * @param {string} base64
 * @throws {SignatureError} when it is none
 */
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new SignatureError("The signature or the secret is not in base64");
  }
}
