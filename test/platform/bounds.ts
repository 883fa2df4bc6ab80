/** Bounds of bindings that a local runtime does not hold. */
import type { Around, Call, Statement } from "../support/around.ts";
import { DOCS, READ, type Rule } from "./rule.ts";

const limits = `${DOCS}/workers/platform/limits/`;
const d1 = `${DOCS}/d1/platform/limits/`;
const r2 = `${DOCS}/r2/platform/limits/`;
const queues = `${DOCS}/queues/platform/limits/`;

export const BOUND_RULES: readonly Rule[] = [
  {
    name: "six connections",
    says: "Six connections of an invocation wait for the headers of their answers; a seventh waits until one has them.",
    source: `${limits}#simultaneous-open-connections`,
    read: READ,
  },
  { name: "subrequests", says: "An invocation makes 10,000 subrequests.", source: `${limits}#subrequests`, read: READ },
  {
    name: "statements",
    says: "An invocation runs 1,000 statements of D1, those of batches included.",
    source: d1,
    read: READ,
  },
  {
    name: "sizes of statements",
    says: "A statement has 100 KB and 100 parameters; a text, a blob or a row has 2 MB.",
    source: d1,
    read: READ,
  },
  {
    name: "sizes of objects",
    says: "A key of R2 has 1,024 bytes, the metadata of an object 8,192.",
    source: r2,
    read: READ,
  },
  {
    name: "lists of objects",
    says: "A call lists or deletes at most 1,000 objects of R2.",
    source: `${DOCS}/r2/api/workers/workers-api-reference/`,
    read: READ,
  },
  {
    name: "sizes of messages",
    says: "A message has 128 KB, a batch 100 messages and 256 KB, a delay 12 hours.",
    source: queues,
    read: READ,
  },
  {
    name: "no host by number",
    says: "A Worker reaches the web by names of hosts; a call of an IP address is answered with error 1003.",
    source: `${DOCS}/workers/platform/known-issues/`,
    read: READ,
  },
];

export const MAX_CONNECTIONS = 6;
export const MAX_SUBREQUESTS = 10_000;
export const MAX_STATEMENTS = 1_000;
const MAX_PARAMETERS = 100;
const MAX_SQL_BYTES = 100_000;
const MAX_VALUE_BYTES = 2_000_000;
const MAX_KEY_BYTES = 1_024;
const MAX_METADATA_BYTES = 8_192;
const MAX_OBJECTS = 1_000;
const MAX_MESSAGE_BYTES = 128_000;
const MAX_MESSAGES = 100;
const MAX_BATCH_BYTES = 256_000;
const MAX_DELAY_SECONDS = 43_200;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The bounds of one invocation. @throws what the platform answers beyond them */
export function bounded(): Around {
  let subrequests = 0;
  let statements = 0;
  let open = 0;
  const line: (() => void)[] = [];
  return async (call, go) => {
    subrequests += 1;
    if (subrequests > MAX_SUBREQUESTS) throw new Error("Too many subrequests by single Worker invocation.");
    statements += call.statements?.length ?? 0;
    if (statements > MAX_STATEMENTS) throw new Error("D1_ERROR: Too many API requests by single worker invocation.");
    check(call);
    // Calls of objects are sessions, not connections.
    if (call.service === "object") return go();
    if (open >= MAX_CONNECTIONS) await new Promise<void>((come) => void line.push(come));
    else open += 1;
    try {
      return await go();
    } finally {
      const next = line.shift();
      if (next) next();
      else open -= 1;
    }
  };
}

function check(call: Call): void {
  for (const statement of call.statements ?? []) checkStatement(statement);
  if (call.service === "bucket") checkObjects(call);
  if (call.service === "queue") checkMessages(call);
}

function checkStatement({ sql, values }: Statement): void {
  if (bytesOf(sql) > MAX_SQL_BYTES) throw new Error("D1_ERROR: statement too long: SQLITE_TOOBIG");
  if (values.length > MAX_PARAMETERS) throw new Error("D1_ERROR: too many SQL variables: SQLITE_ERROR");
  const sizes = values.map((value) => (typeof value === "string" ? bytesOf(value) : lengthOf(value)));
  if (sizes.some((size) => size > MAX_VALUE_BYTES)) throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
}

function lengthOf(value: unknown): number {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? value.byteLength : 0;
}

function checkObjects({ method, given: [first, , third] }: Call): void {
  const keys = typeof first === "string" ? [first] : Array.isArray(first) ? (first as string[]) : [];
  if (keys.length > MAX_OBJECTS) throw new Error(`${method}: at most ${MAX_OBJECTS} keys`);
  if (keys.some((key) => bytesOf(key) > MAX_KEY_BYTES))
    throw new Error(`${method}: The specified object name is not valid. (10020)`);
  const { customMetadata = {} } = (third ?? {}) as R2PutOptions;
  const metadata = Object.entries(customMetadata).reduce((sum, pair) => sum + bytesOf(pair.join("")), 0);
  if (metadata > MAX_METADATA_BYTES)
    throw new Error(`${method}: Your metadata headers exceed the maximum allowed metadata size. (10012)`);
}

function checkMessages({ method, given: [first, options] }: Call): void {
  if (method !== "send" && method !== "sendBatch") return;
  const messages = method === "send" ? [{ body: first }] : [...(first as Iterable<MessageSendRequest>)];
  const sizes = messages.map(({ body }) => bytesOf(JSON.stringify(body)));
  if (sizes.some((size) => size > MAX_MESSAGE_BYTES)) throw new Error("Queue send failed: message too large");
  const sum = sizes.reduce((a, b) => a + b, 0);
  if (messages.length > MAX_MESSAGES || sum > MAX_BATCH_BYTES)
    throw new Error("Queue sendBatch failed: batch too large");
  const { delaySeconds = 0 } = (options ?? {}) as QueueSendOptions;
  if (delaySeconds > MAX_DELAY_SECONDS) throw new Error("Queue send failed: delay too long");
}

/** Whether a host is a number: IPv6 in brackets, or IPv4 as URLs spell it. */
export function isNumbered(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(hostname);
}
