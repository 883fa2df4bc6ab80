/**
 * What a picture takes of each piece of the platform, and what the platform asks for it. The tables of costs and of scale are
 * computed from these figures, so that none of them can say something else.
 */

/** Dollars of the Workers Paid plan for a million of each, beyond what it includes, as documented in November 2026. */
export const PRICES = {
  requests: 0.3,
  cpuMs: 0.02,
  writes: 4.5,
  reads: 0.36,
  calls: 0.15,
  rows: 1,
  operations: 0.4,
} as const;

type Piece = keyof typeof PRICES;

const PIECES = Object.keys(PRICES) as readonly Piece[];

/** What one picture, or one view of it, takes of each piece. */
export interface Work {
  readonly name: string;
  /** Milliseconds of processor time, measured. */
  readonly cpuMs: number;
  readonly requests: number;
  /** Objects of R2 written and read. */
  readonly writes: number;
  readonly reads: number;
  /** Calls of Durable Objects. */
  readonly calls: number;
  /** Rows of D1 that are written, indexes included. */
  readonly rows: number;
  /** Operations of Queues: a message written, read and deleted is three. */
  readonly operations: number;
}

const NOTHING = { cpuMs: 0, requests: 0, writes: 0, reads: 0, calls: 0, rows: 0, operations: 0 } as const;

/** The request and the download of its result; the result written and read; counting, and closing the count. */
const UPLOAD = { ...NOTHING, requests: 2, writes: 1, reads: 1, calls: 2 } as const;

/** Of the phone picture, which the table of scale makes, too. */
const PHONE_MS = 272;

/** `npm run bench -- costs`. */
export const UPLOADS: readonly Work[] = [
  { ...UPLOAD, name: "Thumbnails: 2.8-megapixel JPEG to 400 pixels", cpuMs: 27 },
  { ...UPLOAD, name: "Web pictures: the same to WebP of 1,200 pixels", cpuMs: 163 },
  { ...UPLOAD, name: "Optimized only: the same, as it is", cpuMs: 248 },
  { ...UPLOAD, name: "Phone pictures: 12-megapixel JPEG to WebP of 1,600", cpuMs: PHONE_MS },
  { ...UPLOAD, name: "The same with `optimize.quality` instead of the search", cpuMs: 184 },
];

const HIT = { ...NOTHING, requests: 1 } as const;
/** Before and after a result is kept, two marks of purges are looked for. */
const KEPT_READS = 4;
/**
 * Made through the queue: the message is read and deleted, a final of the same bytes looked for, the result written with
 * what leads to it from its original's bytes, its rows changed, its credit counted.
 */
const FINAL = { ...NOTHING, writes: 2, reads: 1 + KEPT_READS, calls: 1, rows: 5, operations: 2 } as const;

/** `npm run bench -- delivery-own`. */
export const DELIVERY = {
  frontHit: { ...HIT, name: "Hits in the platform's own cache in front of the Worker" },
  edgeHit: { ...HIT, name: "Hits at the edge", cpuMs: 0.13 },
  storedHit: { ...HIT, name: "Stored hits", cpuMs: 0.96, reads: 1 },
  draft: {
    ...HIT,
    name: "First views: drafts",
    cpuMs: 57,
    reads: 3 + KEPT_READS,
    writes: 1,
    calls: 1,
    rows: 5,
    operations: 1,
  },
  finalJpeg: { ...FINAL, name: "Finals in JPEG", cpuMs: 107 },
  finalWebp: { ...FINAL, name: "Finals for browsers with WebP", cpuMs: 263 },
  finalAvif: { ...FINAL, name: "Finals for browsers with AVIF", cpuMs: 1_190 },
} as const satisfies Readonly<Record<string, Work>>;

/** The picture that the table of scale makes: a phone's, the dearest of the everyday ones. */
const PHONE = { ...UPLOAD, name: "Made by a request", cpuMs: PHONE_MS } as const;

/**
 * A job with a webhook, of the same picture. Its bytes are written and read besides; it is counted, charged, and its courier
 * is told and wakes. Rows are those of `meta.rows_written` from its 202 to the delivered notification; messages and
 * statements are of `npm run bench -- webhooks-simulation`.
 */
export const JOB = {
  ...PHONE,
  name: "Jobs with a webhook",
  writes: 2,
  reads: 2,
  calls: 4,
  rows: 21,
  messages: 0.96,
  operations: 3 * 0.96,
  statements: 9.6,
} as const;

/** Of a thousand views by address: found at the edge, found in R2, made. An assumption: a site's own share is in its usage. */
const OF_A_THOUSAND = { edge: 949, stored: 50, made: 1 } as const;

/** What an average view by address takes, when browsers take AVIF. */
const VIEW: Work = mixOf("Views by address", [
  [OF_A_THOUSAND.edge, DELIVERY.edgeHit],
  [OF_A_THOUSAND.stored, DELIVERY.storedHit],
  [OF_A_THOUSAND.made, DELIVERY.draft],
  [OF_A_THOUSAND.made, DELIVERY.finalAvif],
]);

/** What a day may bring. */
export const LOADS: readonly Work[] = [PHONE, JOB, VIEW];

/** The busiest second of a day has so many times the mean. An assumption. */
export const PEAK = 3;

/** What the platform gives one piece, as documented in 2026, and what was measured of ours. */
export const CAPACITY = {
  /** Calls that one Durable Object answers in a second. */
  objectCalls: 1_000,
  /** Statements that one database of D1 runs in a second, at a millisecond each, which is more than most take here. */
  statements: 1_000,
  /** Bytes of all databases of an account; the platform raises it on request. */
  databaseBytes: 1e12,
  /** Databases that one Worker can be bound to, about. */
  databases: 5_000,
  /** Messages that one queue takes in a second. */
  messages: 5_000,
  /** Invocations of the consumer of one queue at a time, each with one message. */
  consumers: 250,
  /** Bytes of a record with its body, and without (`npm run bench -- d1`). */
  recordBytes: 1_600,
  headBytes: 350,
} as const;

function mixOf(name: string, parts: readonly (readonly [share: number, work: Work])[]): Work {
  const sum: Record<Piece, number> = { ...NOTHING };
  for (const [share, work] of parts) {
    for (const piece of PIECES) sum[piece] += (share / 1_000) * work[piece];
  }
  return { name, ...sum };
}

/** Dollars for a million of this work, of the pieces that are named. */
export function dollarsPerMillion(work: Work, pieces: readonly Piece[] = PIECES): number {
  return pieces.reduce((sum, piece) => sum + work[piece] * PRICES[piece], 0);
}

/** Dollars for a million of this work without its processor time. */
export function dollarsBesideCpu(work: Work): number {
  return dollarsPerMillion(
    work,
    PIECES.filter((piece) => piece !== "cpuMs"),
  );
}
