/**
 * What a picture takes of each piece of the platform, and what the platform asks for it. The tables of costs and of
 * scale are computed from these figures, so that none of them can say something else.
 */

import { DEFAULT_LOG_SAMPLE, TEMPORARY_SWEEP_MS } from "../limits.ts";
import { MAX_BLOCK_REQUESTS } from "../limits/accounts.ts";
import { DEFAULT_HIT_SAMPLE } from "../limits/delivery.ts";
import { EVENT_KB, type Piece, PIECES, PRICES } from "../limits/prices.ts";

/** What the pieces are called on the bill. */
export const PIECE_NAMES: Readonly<Record<Piece, string>> = {
  requests: "requests, and invocations of the queue's consumer",
  cpuMs: "milliseconds of CPU",
  writes: "writes of R2, and lists",
  reads: "reads of R2",
  calls: "calls and alarms of Durable Objects",
  objectRows: "rows written in Durable Objects",
  gbSeconds: "GB-seconds of Durable Objects",
  rows: "rows written in D1, indexes included",
  operations: "operations of Queues",
  events: `events of the logs, at ${EVENT_KB} KB`,
};

/** What the plan includes a month. */
export const INCLUDED: Readonly<Record<Piece, number>> = {
  requests: 10e6,
  cpuMs: 30e6,
  writes: 1e6,
  reads: 10e6,
  calls: 1e6,
  objectRows: 50e6,
  gbSeconds: 400_000,
  rows: 50e6,
  operations: 1e6,
  events: 50e6 / EVENT_KB,
};

/** What one picture, or one view of it, takes of each piece. */
export interface Work {
  readonly name: string;
  /** Milliseconds of processor time, measured. */
  readonly cpuMs: number;
  /** Requests from outside, and invocations of the queue's consumer. */
  readonly requests: number;
  /** Objects of R2 written and read. */
  readonly writes: number;
  readonly reads: number;
  /**
   * Calls and alarms of Durable Objects, the rows that they write, and the gigabyte-seconds for which timers keep them
   * awake.
   */
  readonly calls: number;
  readonly objectRows: number;
  readonly gbSeconds: number;
  /** Rows of D1 that are written, indexes included. */
  readonly rows: number;
  /** Operations of Queues: a message written, read and deleted is three. */
  readonly operations: number;
  /** Events of the logs: lines, and invocations where those are logged. */
  readonly events: number;
}

const NOTHING = {
  cpuMs: 0,
  requests: 0,
  writes: 0,
  reads: 0,
  calls: 0,
  objectRows: 0,
  gbSeconds: 0,
  rows: 0,
  operations: 0,
  events: 0,
} as const;

/** Of so many requests that went well one has a line. */
const LINE = 1 / DEFAULT_LOG_SAMPLE;
/** Of so many hits one has a row. */
const HIT_ROWS = 1 / DEFAULT_HIT_SAMPLE;

/**
 * What each route takes beside processor time, as `test/platform/bill.test.ts` counts it: of an account that has asked
 * nothing for some minutes, in an isolate that knows its key and its delivery.
 */
export const ROUTES = {
  upload: { ...NOTHING, objectRows: 1, requests: 1, writes: 1, calls: 2, events: LINE },
  download: { ...NOTHING, requests: 1, reads: 1, events: LINE },
  uploadBytesAlone: { ...NOTHING, objectRows: 1, requests: 1, calls: 2, events: LINE },
  /** As many of these as an isolate takes from the meter at once, one after another. */
  runOfBytesAlone: {
    ...NOTHING,
    requests: MAX_BLOCK_REQUESTS,
    calls: 2,
    objectRows: 1,
    events: MAX_BLOCK_REQUESTS * LINE,
  },
  uploadBytes: { ...NOTHING, objectRows: 1, requests: 1, writes: 1, calls: 2, events: LINE },
  /** With `analyze` and `phash`: a row for each band of the hash. */
  uploadLook: { ...NOTHING, objectRows: 1, requests: 1, writes: 1, calls: 2, rows: 4, events: LINE },
  similar: { ...NOTHING, requests: 1, calls: 1, objectRows: 1, events: LINE },
  fetch: { ...NOTHING, objectRows: 1, requests: 1, writes: 1, calls: 2, events: LINE },
  setOfThree: { ...NOTHING, requests: 1, writes: 3, calls: 3, objectRows: 2, events: LINE },
  refusal: { ...NOTHING, objectRows: 1, requests: 1, calls: 2, events: 1 },
  account: { ...NOTHING, requests: 1, calls: 1, objectRows: 1, events: LINE },
  /** What an account's meter does once in ten minutes in which it was used. */
  accountSpell: { ...NOTHING, objectRows: 1, calls: 1, rows: 1 },
  health: { ...NOTHING, requests: 1, events: LINE },
  metrics: { ...NOTHING, requests: 1, calls: 1, objectRows: 2, events: LINE },
  anonymousClient: { ...NOTHING, requests: 1, events: LINE },
  strangeKey: { ...NOTHING, requests: 1, events: LINE },
  job: {
    ...NOTHING,
    requests: 1,
    writes: 2,
    reads: 1,
    calls: 3,
    objectRows: 2,
    rows: 10,
    events: LINE,
  },
  draft: {
    ...NOTHING,
    requests: 1,
    reads: 2,
    calls: 1,
    objectRows: 1,
    rows: 1 + HIT_ROWS,
    operations: 1,
    events: LINE,
  },
  final: { ...NOTHING, requests: 1, writes: 1, calls: 1, objectRows: 1, rows: 4, operations: 2 },
  edgeHit: { ...NOTHING, requests: 1, rows: HIT_ROWS, events: LINE },
  storedHit: { ...NOTHING, requests: 1, reads: 1, rows: HIT_ROWS, events: LINE },
  renewedHit: { ...NOTHING, requests: 1, reads: 1, rows: HIT_ROWS, events: LINE },
  markedHit: { ...NOTHING, requests: 1, writes: 1, reads: 2, rows: HIT_ROWS, events: LINE },
  /** The clock of a deployment with one database, and where each part of the bucket is to be looked at. */
  cronMinute: { ...NOTHING, rows: 1 },
  cronAfterRest: { ...NOTHING, writes: 3, rows: 4 },
  purge: { ...NOTHING, requests: 1, calls: 1, objectRows: 1, rows: 2, operations: 2, events: LINE },
  purgeOfOne: { ...NOTHING, requests: 1, writes: 1, calls: 1, objectRows: 1, rows: 2, operations: 1, events: LINE },
} as const satisfies Readonly<Record<string, Omit<Work, "name">>>;

/** Of the phone picture, which the table of scale makes, too. */
const PHONE_MS = 272;
const WEB_MS = 163;

/** The answer in JSON, and the download of its result. */
const UPLOAD = sumOf(ROUTES.upload, ROUTES.download);

/** What a picture takes of its account's meter where others come before and after it. */
export interface Metered {
  readonly calls: number;
  readonly objectRows: number;
}

const PLATFORM_PICTURES = 100e6;
const PLATFORM_ACCOUNTS = 500;
const MINUTES_OF_A_MONTH = 43_200;

/** Between two pictures of an account of the platform, in seconds: over the whole month, and over its hours of work alone. */
const APART_SECONDS = (MINUTES_OF_A_MONTH * 60 * PLATFORM_ACCOUNTS) / PLATFORM_PICTURES;
const APART_AT_WORK_SECONDS = (APART_SECONDS * (22 * 8)) / 720;

/**
 * How an account's pictures come: so many seconds apart on average, at random, each to one of so many isolates of one data
 * center; and what each takes in the long run, as a model of 60,000 pictures says that `test/platform/blocks.test.ts` holds to
 * a hundred real ones. An object that is idle for ten seconds has lost its memory by the next call.
 */
export const ARRIVALS = [
  {
    says: "at any hour, each to another isolate",
    apartSeconds: APART_SECONDS,
    isolates: Number.POSITIVE_INFINITY,
    calls: 1.362,
    objectRows: 0.362,
  },
  { says: "at any hour, to four isolates", apartSeconds: APART_SECONDS, isolates: 4, calls: 0.507, objectRows: 0.387 },
  { says: "at any hour, to one isolate", apartSeconds: APART_SECONDS, isolates: 1, calls: 0.34, objectRows: 0.34 },
  {
    says: "in hours of work, to four isolates",
    apartSeconds: APART_AT_WORK_SECONDS,
    isolates: 4,
    calls: 0.215,
    objectRows: 0.203,
  },
  {
    says: "in hours of work, to one isolate",
    apartSeconds: APART_AT_WORK_SECONDS,
    isolates: 1,
    calls: 0.136,
    objectRows: 0.112,
  },
] as const;

/** A picture of an account that is busy like that. */
export function meteredAs(work: Omit<Work, "name">, { calls, objectRows }: Metered): Omit<Work, "name"> {
  return { ...work, calls, objectRows };
}

/** `npm run bench -- costs`. */
export const UPLOADS: readonly Work[] = [
  { ...UPLOAD, name: "Thumbnails: 2.8-megapixel JPEG to 400 pixels", cpuMs: 27 },
  { ...UPLOAD, name: "Web pictures: the same to WebP of 1,200 pixels", cpuMs: WEB_MS },
  { ...UPLOAD, name: "Optimized only: the same, as it is", cpuMs: 248 },
  { ...ROUTES.uploadBytesAlone, name: "Web pictures as bytes alone: `response.keep: false`", cpuMs: WEB_MS },
  { ...UPLOAD, name: "Phone pictures: 12-megapixel JPEG to WebP of 1,600", cpuMs: PHONE_MS },
  { ...UPLOAD, name: "The same with `optimize.quality` instead of the search", cpuMs: 184 },
];

/** `npm run bench -- delivery-own`. */
export const DELIVERY = {
  frontHit: { ...NOTHING, name: "Hits in the platform's own cache in front of the Worker", requests: 1 },
  edgeHit: { ...ROUTES.edgeHit, name: "Hits at the edge", cpuMs: 0.13 },
  storedHit: { ...ROUTES.storedHit, name: "Stored hits", cpuMs: 0.96 },
  draft: { ...ROUTES.draft, name: "First views: drafts", cpuMs: 57 },
  finalJpeg: { ...ROUTES.final, name: "Finals in JPEG", cpuMs: 107 },
  finalWebp: { ...ROUTES.final, name: "Finals for browsers with WebP", cpuMs: 263 },
  finalAvif: { ...ROUTES.final, name: "Finals for browsers with AVIF", cpuMs: 1_190 },
} as const satisfies Readonly<Record<string, Work>>;

/** The picture that the table of scale makes: a phone's, the dearest of the everyday ones. */
const PHONE = { ...UPLOAD, name: "Made by a request", cpuMs: PHONE_MS } as const;

/** Messages and statements are of `npm run bench -- webhooks-simulation`: most jobs go through the queue. */
const JOB_MESSAGES = 0.98;

/** A job with a webhook, of the same picture, and the download of its result. */
export const JOB = {
  ...sumOf(ROUTES.job, ROUTES.download),
  name: "Jobs with a webhook",
  cpuMs: PHONE_MS,
  requests: 2 + JOB_MESSAGES,
  messages: JOB_MESSAGES,
  operations: 3 * JOB_MESSAGES,
  statements: 6.7,
} as const;

/**
 * Where views are found that need no work: at the edge, and in R2. An assumption: a site's own share is in its usage.
 */
const AT_THE_EDGE = 0.95;

/** What an average view by address takes where each variant is seen so often, when browsers take AVIF. */
export function viewOf(viewsOfAVariant: number): Work {
  const made = 1 / viewsOfAVariant;
  const found = 1 - made;
  return mixOf("Views by address", [
    [found * AT_THE_EDGE, DELIVERY.edgeHit],
    [found * (1 - AT_THE_EDGE), DELIVERY.storedHit],
    [made, DELIVERY.draft],
    [made, DELIVERY.finalAvif],
  ]);
}

const VIEWS_OF_A_VARIANT = 100;
const VIEW = viewOf(VIEWS_OF_A_VARIANT);

/**
 * By views of a variant in a month, of a hundred views those that the cache in front of the Worker misses: where drafts are
 * kept for half a minute, and three spellings of `Accept` are three answers; and where addresses name the format and `refine`
 * is `false`. Of a hundred variants those that are seen once, of a million by Zipf's law (`test/platform/front.test.ts`).
 */
export const FRONT = [
  { views: 20, missed: 16.6, missedNamed: 5, seenOnce: 21 },
  { views: 40, missed: 9.6, missedNamed: 2.5, seenOnce: 5 },
  { views: 100, missed: 4, missedNamed: 1, seenOnce: 0 },
] as const;

/** Rows by which a first view is remembered until a second comes or none does: written, and deleted. */
const REMEMBERED_ROWS = 2;

/**
 * Dollars that a million new variants would cost less if finals in AVIF were made from the second view on, where so many of a
 * hundred variants have no second one. Whoever sees the others a second time would be given a draft again.
 */
export function savedBySecondViews(seenOnce: number): number {
  const once = seenOnce / 100;
  const second = dollarsPerMillion(DELIVERY.draft) - dollarsPerMillion(DELIVERY.storedHit);
  return once * dollarsPerMillion(DELIVERY.finalAvif) - REMEMBERED_ROWS * PRICES.rows - (1 - once) * second;
}

/** What a deployment does in a month: so many of each, and what it keeps. */
export interface Month {
  readonly name: string;
  readonly says: string;
  readonly works: readonly (readonly [count: number, work: Omit<Work, "name">])[];
  /** Gigabytes in R2 beside originals. */
  readonly storedGb: number;
}

const SPELLS_OF_A_MONTH = MINUTES_OF_A_MONTH / 10;
/** The part that is looked at most often. */
const RESTS_OF_A_MONTH = (MINUTES_OF_A_MONTH * 60_000) / TEMPORARY_SWEEP_MS;
const CLOCK = [
  [MINUTES_OF_A_MONTH - RESTS_OF_A_MONTH, ROUTES.cronMinute],
  [RESTS_OF_A_MONTH, ROUTES.cronAfterRest],
] as const;

/** The platform's month where its accounts' pictures come like that. */
export function platformOf(arrival: Metered): Month {
  return {
    name: "Platform",
    says: "100 million pictures of 2.8 megapixels by the API, evenly of 500 accounts: 80 million answered with their bytes alone, the others in JSON and downloaded once; each in another isolate than the last",
    works: [
      [0.2 * PLATFORM_PICTURES, { ...sumOf(meteredAs(ROUTES.upload, arrival), ROUTES.download), cpuMs: WEB_MS }],
      [0.8 * PLATFORM_PICTURES, { ...meteredAs(ROUTES.uploadBytesAlone, arrival), cpuMs: WEB_MS }],
      ...CLOCK,
      [PLATFORM_ACCOUNTS * SPELLS_OF_A_MONTH, ROUTES.accountSpell],
    ],
    storedGb: 8,
  };
}

export const MONTHS: readonly Month[] = [
  {
    name: "Blog",
    says: "10,000 new pictures in 3 widths, 51,000 variants made, a million views",
    works: [
      [51_000, DELIVERY.draft],
      [51_000, DELIVERY.finalAvif],
      [400_000, DELIVERY.edgeHit],
      [549_000, DELIVERY.storedHit],
      ...CLOCK,
    ],
    storedGb: 4,
  },
  {
    name: "Shop",
    says: "a million pictures, 1.2 million variants asked for and 380,000 of them new, 50 million views, 2 million phone pictures by the API, 80 of 100 answered with their bytes alone",
    works: [
      [380_000, DELIVERY.draft],
      [240_000, DELIVERY.finalAvif],
      [120_000, DELIVERY.finalWebp],
      [20_000, DELIVERY.finalJpeg],
      [27_500_000, DELIVERY.edgeHit],
      [20_900_000, DELIVERY.storedHit],
      // Of the variants that are asked for each is renewed after a month, and marked after three.
      [1_200_000, { ...ROUTES.renewedHit, cpuMs: DELIVERY.storedHit.cpuMs }],
      [400_000, { ...ROUTES.markedHit, cpuMs: DELIVERY.storedHit.cpuMs }],
      [400_000, PHONE],
      [1_600_000, { ...ROUTES.uploadBytesAlone, cpuMs: PHONE_MS }],
      ...CLOCK,
      [SPELLS_OF_A_MONTH, ROUTES.accountSpell],
    ],
    // New variants of 60 KB, which are there for nine months on average: six of them after the last mark.
    storedGb: 203,
  },
  {
    name: "Shop, cache in front",
    says: "the same shop with the platform's cache in front of the Worker, which answers 90.4 of 100 views at 40 of a variant",
    works: [
      [380_000, DELIVERY.draft],
      [240_000, DELIVERY.finalAvif],
      [120_000, DELIVERY.finalWebp],
      [20_000, DELIVERY.finalJpeg],
      [45_200_000, DELIVERY.frontHit],
      [3_420_000, DELIVERY.storedHit],
      [600_000, { ...ROUTES.renewedHit, cpuMs: DELIVERY.storedHit.cpuMs }],
      [400_000, { ...ROUTES.markedHit, cpuMs: DELIVERY.storedHit.cpuMs }],
      [400_000, PHONE],
      [1_600_000, { ...ROUTES.uploadBytesAlone, cpuMs: PHONE_MS }],
      ...CLOCK,
      [SPELLS_OF_A_MONTH, ROUTES.accountSpell],
    ],
    // New variants of 60 KB, which are there for nine months on average: six of them after the last mark.
    storedGb: 203,
  },
  platformOf(ARRIVALS[0]),
];

/** A month in which nobody asks for anything. */
export const IDLE_MONTH: Month = {
  name: "Idle",
  says: "nothing but the sweep of each minute",
  works: CLOCK,
  storedGb: 0,
};

/** Dollars a month of the plan itself. */
export const PLAN_DOLLARS = 5;
const STORED_GB_DOLLARS = 0.015;
const STORED_GB_INCLUDED = 10;

/** What a bill has for its rows, in dollars. */
export type Dollars = Readonly<Record<Piece | "storage" | "total", number>>;

/** What a month takes of each piece. */
export function usedIn({ works }: Month): Readonly<Record<Piece, number>> {
  const { name: _, ...used } = mixOf("", works);
  return used;
}

/** What a month costs by piece, in dollars, beyond what the plan includes. */
export function billOf(month: Month): Dollars {
  return dollarsOf(usedIn(month), month.storedGb);
}

/** What so much of each piece costs in a month, in dollars, beyond what the plan includes. */
export function dollarsOf(used: Readonly<Record<Piece, number>>, storedGb: number): Dollars {
  const parts = PIECES.map(
    (piece) => [piece, (Math.max(0, used[piece] - INCLUDED[piece]) / 1e6) * PRICES[piece]] as const,
  );
  const storage = Math.max(0, storedGb - STORED_GB_INCLUDED) * STORED_GB_DOLLARS;
  const total = parts.reduce((sum, [, dollars]) => sum + dollars, PLAN_DOLLARS + storage);
  return { ...(Object.fromEntries(parts) as Record<Piece, number>), storage, total };
}

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

function sumOf(...works: readonly Omit<Work, "name">[]): Omit<Work, "name"> {
  const sum: Record<Piece, number> = { ...NOTHING };
  for (const work of works) for (const piece of PIECES) sum[piece] += work[piece];
  return sum;
}

function mixOf(name: string, parts: readonly (readonly [share: number, work: Omit<Work, "name">])[]): Work {
  const sum: Record<Piece, number> = { ...NOTHING };
  for (const [share, work] of parts) for (const piece of PIECES) sum[piece] += share * work[piece];
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
