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

/** `npm run bench -- costs`. */
export const UPLOADS: readonly Work[] = [
  { ...UPLOAD, name: "Thumbnails: 2.8-megapixel JPEG to 400 pixels", cpuMs: 85 },
  { ...UPLOAD, name: "Web pictures: the same to WebP of 1,200 pixels", cpuMs: 880 },
  { ...UPLOAD, name: "Optimized only: the same, as it is", cpuMs: 460 },
  { ...UPLOAD, name: "Phone pictures: 12-megapixel JPEG to WebP of 1,600", cpuMs: 1_600 },
  { ...UPLOAD, name: "The same with `optimize.quality` instead of the search", cpuMs: 480 },
];

const HIT = { ...NOTHING, requests: 1 } as const;
/** Made through the queue: the message is read and deleted, the result written, its rows changed, its credit counted. */
const FINAL = { ...NOTHING, writes: 1, calls: 1, rows: 5, operations: 2 } as const;

/** `npm run bench -- delivery-own`. */
export const DELIVERY = {
  frontHit: { ...HIT, name: "Hits in the platform's own cache in front of the Worker" },
  edgeHit: { ...HIT, name: "Hits at the edge", cpuMs: 1.1 },
  storedHit: { ...HIT, name: "Stored hits", cpuMs: 1.7, reads: 1 },
  draft: { ...HIT, name: "First views: drafts", cpuMs: 88, reads: 2, writes: 1, calls: 1, rows: 5, operations: 1 },
  finalJpeg: { ...FINAL, name: "Finals in JPEG", cpuMs: 274 },
  finalWebp: { ...FINAL, name: "Finals for browsers with WebP", cpuMs: 1_270 },
  finalAvif: { ...FINAL, name: "Finals for browsers with AVIF", cpuMs: 3_140 },
} as const satisfies Readonly<Record<string, Work>>;

type Piece = keyof typeof PRICES;

const PIECES = Object.keys(PRICES) as readonly Piece[];

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
