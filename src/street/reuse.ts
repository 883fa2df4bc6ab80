/**
 * `reuse`: what an account had done before is not done again. A result is known by a hash of all that it depends on: the
 * picture (its bytes, or where it is fetched from), what is done to it, the store that it goes into, and the version of the
 * service. The meter of the account remembers it, so that no other account ever finds it.
 */
import { openAsset } from "../account/assets.ts";
import { databaseNamed } from "../account/databases.ts";
import type { KnownResult, NamedResult } from "../account/known-results.ts";
import type { Meter } from "../account/meter.ts";
import { vaultOf } from "../account/vault.ts";
import { inOrder } from "../contract/in-order.ts";
import type { Success } from "../contract/response.ts";
import { engineVersion, type Settings } from "../env.ts";
import type { Original } from "../files.ts";
import {
  MAX_KNOWN_ANSWER_CHARACTERS,
  MAX_SOURCE_BYTES,
  MAX_VALIDATOR_CHARACTERS,
  REUSE_MARGIN_MS,
  STORED_RESULT_KEPT_MS,
} from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import { readOriginIfChanged } from "../source/origin.ts";
import { type Validators, validatorsOf } from "../source/validators.ts";
import { base64Url, sha256 } from "../storage/digest.ts";
import { isConnected, type Store } from "../storage/providers.ts";
import { hasTemporary, temporaryEnd } from "../storage/volatile.ts";
import type { Street } from "./edges.ts";
import type { Job, Ports, Result, Source } from "./process.ts";

/** What of an answer speaks of the work. */
export type Answer = Pick<Success, "input" | "output" | "analysis">;

/** What finding an earlier result needs. */
export interface ReusePorts {
  /** The version of the service. */
  readonly engine: string;
  /** The public address of the service. */
  readonly baseUrl: string;
  readonly now: () => number;
  readonly recall: (name: string) => Promise<KnownResult | undefined>;
  readonly isThere: (url: string) => Promise<boolean>;
  /** What a saved connector says, which may have been changed. */
  readonly connectorOf: (accountId: string, id: string) => Promise<object | undefined>;
  /** An original with what its origin says of it; null when it is the known one. */
  readonly readIfChanged: (
    source: Extract<Source, { kind: "fetch" }>,
    known: Validators,
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly original: Original; readonly validators: Validators } | null>;
}

/** @param meter of the account; `database` that of its records */
export function reusePortsOf(
  env: Env,
  settings: Settings,
  { meter, baseUrl, database }: { meter: string; baseUrl: string; database: string },
): ReusePorts {
  const stub: DurableObjectStub<Meter> = env.METER.getByName(meter);
  return {
    engine: engineVersion(env),
    baseUrl,
    now: Date.now,
    recall: async (name) => stub.recall(name),
    isThere: (url) => hasTemporary(env.BUCKET, url, Date.now()),
    connectorOf: async (accountId, id) => {
      const shelf = { db: databaseNamed(env, database), vault: vaultOf(settings.vaultKeys), accountId };
      return (await openAsset(shelf, "connector", id)) as object | undefined;
    },
    readIfChanged: async (source, known, signal) => {
      const bounds = { maxBytes: MAX_SOURCE_BYTES, signal };
      const remote = await readOriginIfChanged(source, settings, known, bounds);
      return remote && { original: remote, validators: validatorsOf(remote.headers) };
    },
  };
}

/** What a job came to: an earlier result, or one that was worked for, to be remembered where it has a name. */
export type Outcome =
  | { readonly reused: Answer }
  | { readonly reused?: undefined; readonly result: Result; readonly known?: NamedResult | undefined };

/**
 * Carries out a job, unless its result is there already.
 * @throws ApiError as the street does
 */
export async function processOrReuse(
  street: Pick<Street, "process">,
  job: Job,
  ports: Ports,
  reuse: ReusePorts,
): Promise<Outcome> {
  const { source, processing } = job;
  if (processing.reuse !== true) return { result: await street.process(job, ports) };
  const sent = source.kind === "upload" ? await hashOf(source.original.bytes) : undefined;
  const name = await nameOf(job, sent, reuse);
  const known = await usable(name, processing.store, reuse);
  if (source.kind === "upload") {
    if (known) return { reused: reusedAnswer(known, source.original.name) };
    const result = await street.process(job, ports);
    return { result, known: namedResult(name, { original: sent ?? "" }, result, job, reuse) };
  }
  const found = await reuse.readIfChanged(source, known?.validators ?? {}, ports.allowance?.signal);
  if (!found) return { reused: reusedAnswer(known) };
  const { original, validators } = found;
  try {
    const hash = await hashOf(original.bytes);
    if (known && known.original === hash) return { reused: reusedAnswer(known, original.name) };
    const result = await street.process(job, { ...ports, readOriginal: async () => original });
    return { result, known: namedResult(name, { original: hash, validators: short(validators) }, result, job, reuse) };
  } finally {
    original.memory.release();
  }
}

/** What was remembered, as far as it is still there. */
async function usable(
  name: string,
  store: Store | undefined,
  { recall, isThere, now }: ReusePorts,
): Promise<KnownResult | undefined> {
  try {
    const known = await recall(name);
    if (!known || known.forgottenAt <= now()) return undefined;
    const { output } = JSON.parse(known.answer) as Answer;
    // A store of the caller's is not asked: what was written there is taken to be there.
    return store !== undefined || (await isThere(output.url)) ? known : undefined;
  } catch (error) {
    // Doing the work is what the caller would have without the member.
    logLine("error", { event: "result not recalled", causes: causesOf(error) });
    return undefined;
  }
}

/** @param name of the original that was sent now; its bytes are the same, whatever it is called */
function reusedAnswer(known: KnownResult | undefined, name?: string): Answer {
  if (!known) throw new Error("An origin calls an image unchanged that nobody knows");
  const { input, output, ...rest } = JSON.parse(known.answer) as Answer;
  return { input: name ? { ...input, name } : input, output: { ...output, reused: true }, ...rest };
}

/** What is to be remembered of a result; undefined where it soon ends, or is too long. */
function namedResult(
  name: string,
  original: Pick<KnownResult, "original" | "validators">,
  { input, output, analysis }: Result,
  { processing }: Job,
  { now }: ReusePorts,
): NamedResult | undefined {
  const moment = now();
  const end = processing.store ? moment + STORED_RESULT_KEPT_MS : temporaryEnd(output.url, moment);
  const forgottenAt = processing.store ? end : end && end - REUSE_MARGIN_MS;
  const answer = JSON.stringify({ input, output, ...(analysis && { analysis }) } satisfies Answer);
  if (forgottenAt === undefined || forgottenAt <= moment || answer.length > MAX_KNOWN_ANSWER_CHARACTERS)
    return undefined;
  return { name, result: { forgottenAt, answer, ...original } };
}

/** The same for the same work, whatever the order of the members, and for nothing else. */
async function nameOf(
  job: Job,
  sent: string | undefined,
  { engine, baseUrl, connectorOf }: ReusePorts,
): Promise<string> {
  const { source, accountId } = job;
  const { reuse: _, response: __, store, ...work } = job.processing;
  const picture = source.kind === "upload" ? ["upload", sent] : ["fetch", source.url, inOrder(source.headers)];
  const isNegotiated = JSON.stringify(work).includes('"auto"');
  const target = store && [
    inOrder(store),
    isConnected(store) ? inOrder(await connectorOf(accountId, store.id)) : "",
    // The name of the object follows from that of the original.
    source.kind === "upload" ? source.original.name : "",
  ];
  const all = [picture, inOrder(work), isNegotiated ? (job.accept ?? "") : "", target ?? baseUrl, engine];
  return hashOf(JSON.stringify(all));
}

async function hashOf(content: string | Uint8Array): Promise<string> {
  return base64Url(await sha256(content));
}

/** An origin that says much says it in vain. */
function short({ etag, modified }: Validators): Validators {
  const isShort = (text: string | undefined) => text !== undefined && text.length <= MAX_VALIDATOR_CHARACTERS;
  return { ...(etag && isShort(etag) && { etag }), ...(modified && isShort(modified) && { modified }) };
}
