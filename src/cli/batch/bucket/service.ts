/** Batches as the service tells of them. */
import type {
  BatchAccepted,
  BatchChanged,
  BatchFound,
  BatchList,
  BatchRecord,
  ConnectorList,
  DuplicateList,
  FailureList,
  NewBatch,
} from "../../../clients/api-types.d.ts";
import { textIn } from "../answered.ts";
import { failureOf, MAX_WAIT_SECONDS, Unreachable, waitOf } from "../client.ts";
import { UsageError } from "../options.ts";

type Failed = FailureList["failures"][number];
type Duplicate = DuplicateList["duplicates"][number];

/** What one answer has of a list, at most. */
const PAGE = 100;
/** Tries of a request; whoever follows a batch has more patience. */
const TRIES = 4;
const TIMEOUT_MS = 30_000;

/** Waits so many seconds, unless the signal ends it. */
export type Sleep = (seconds: number, signal: AbortSignal) => Promise<void>;

export interface Batches {
  /** @throws ApiFailure, Unreachable; all of them do */
  readonly start: (batch: NewBatch) => Promise<BatchRecord>;
  readonly list: () => Promise<readonly BatchRecord[]>;
  /** The batch and its latest failures. Waits for a service that is away as long as that takes. */
  readonly show: (id: string) => Promise<BatchFound>;
  readonly steer: (id: string, order: "pause" | "resume" | "cancel") => Promise<BatchRecord>;
  /** All failures that the service keeps, the latest first. */
  readonly failures: (id: string) => AsyncIterable<Failed>;
  /** Pictures that look like others, in the order in which they were done. */
  readonly duplicates: (id: string) => AsyncIterable<Duplicate>;
  /** The id of a connector that is named by it, or by its name. @throws UsageError where there is none, or several */
  readonly connector: (named: string) => Promise<string>;
}

export interface ServiceOptions {
  readonly url: URL;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** Told before every wait for a service that is busy, or away. */
  readonly onWait: (seconds: number, reason: string) => void;
}

interface Ask {
  readonly method?: "POST";
  readonly json?: object;
  readonly isPatient?: boolean;
}

export function batchesOf(options: ServiceOptions): Batches {
  const call = <Answer>(path: string, ask: Ask = {}) => asked<Answer>(options, path, ask);
  const path = (id: string) => `1.0/batches/${encodeURIComponent(id)}`;
  return {
    start: async (json) => (await call<BatchAccepted>("1.0/batches", { method: "POST", json })).batch,
    list: () => collected(pages(async (page) => (await call<BatchList>(`1.0/batches?${page}`)).batches)),
    show: (id) => call<BatchFound>(path(id), { isPatient: true }),
    steer: async (id, order) => (await call<BatchChanged>(`${path(id)}/${order}`, { method: "POST" })).batch,
    failures: (id) => pages(async (page) => (await call<FailureList>(`${path(id)}/failures?${page}`)).failures),
    duplicates: (id) => pages(async (page) => (await call<DuplicateList>(`${path(id)}/duplicates?${page}`)).duplicates),
    connector: async (named) => {
      const all = await collected(
        pages(async (page) => (await call<ConnectorList>(`1.0/connectors?${page}`)).connectors),
      );
      const [found, ...others] = all.filter(({ id, name }) => id === named || name === named);
      if (!found) throw new UsageError(`There is no connector ${named}`);
      if (others.length > 0) throw new UsageError(`Several connectors are named ${named}: give the id of one`);
      return found.id;
    },
  };
}

/** The entries of a list, part by part. */
async function* pages<Entry>(part: (page: string) => Promise<readonly Entry[]>): AsyncGenerator<Entry> {
  for (let offset = 0; ; offset += PAGE) {
    // oxlint-disable-next-line no-await-in-loop -- whether there is a next part, this one says
    const entries = await part(`limit=${PAGE}&offset=${offset}`);
    yield* entries;
    if (entries.length < PAGE) return;
  }
}

/** All entries of a list. Node 20 has no `Array.fromAsync`. */
async function collected<Entry>(list: AsyncIterable<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of list) entries.push(entry);
  return entries;
}

async function asked<Answer>(options: ServiceOptions, path: string, ask: Ask): Promise<Answer> {
  const { signal, sleep, onWait } = options;
  for (let tries = 1; ; tries += 1) {
    const answer = await once(options, path, ask);
    if (!(answer instanceof Error) && answer.ok) return JSON.parse(await textIn(answer)) as Answer;
    const failure = await failureOf(answer);
    // A beginning whose answer was lost may have begun: it is not sent again.
    const isLost = answer instanceof Error && ask.json !== undefined;
    if (isLost || !isTemporary(answer) || (!ask.isPatient && tries >= TRIES)) throw failure;
    const pause = Math.min(waitOf(answer, tries), MAX_WAIT_SECONDS);
    onWait(pause, failure.message);
    await sleep(pause, signal);
  }
}

async function once({ url, key, signal }: ServiceOptions, path: string, ask: Ask): Promise<Response | Error> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method: ask.method ?? "GET", headers, ...(ask.json && { body: JSON.stringify(ask.json) }) };
  try {
    const given = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return await fetch(new URL(path, url), { ...init, redirect: "manual", signal: given });
  } catch (cause) {
    signal.throwIfAborted();
    return new Unreachable(`The service at ${url.origin} cannot be reached`, { cause });
  }
}

function isTemporary(answer: Response | Error): boolean {
  return answer instanceof Error || answer.status === 429 || answer.status >= 500;
}
