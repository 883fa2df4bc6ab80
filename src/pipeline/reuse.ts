/**
 * `reuse`: what an account had done before is not done again. A result is known by a hash of all that it depends on:
 * the picture (its bytes, or where it is fetched from), what is done to it, the store that it goes into, and the
 * version of the service. The meter of the account remembers it, so that no other account ever finds it.
 */
import { openAsset } from "../account/assets.ts";
import { databaseNamed } from "../account/databases.ts";
import type { KnownResult, NamedResult } from "../account/known-results.ts";
import type { Meter } from "../account/meter.ts";
import type { Spent } from "../account/metered.ts";
import type { ClaimAsk } from "../account/result-claims.ts";
import { vaultOf } from "../account/vault.ts";
import { inOrder } from "../contract/in-order.ts";
import type { Processed, SetOutput } from "../contract/response.ts";
import { engineVersion, type Settings } from "../env.ts";
import type { Encoded } from "../files.ts";
import { MAX_SOURCE_BYTES } from "../limits.ts";
import { SMALL_ORIGINAL_BYTES } from "../limits/isolate.ts";
import {
  MAX_KNOWN_ANSWER_CHARACTERS,
  MAX_KNOWN_SET_CHARACTERS,
  MAX_VALIDATOR_CHARACTERS,
  REUSE_MARGIN_MS,
  REUSE_WAIT_MS,
  STORED_RESULT_KEPT_MS,
} from "../limits/reuse.ts";
import { causesOf, logLine } from "../log.ts";
import { readOriginIfChanged } from "../source/origin.ts";
import type { Original } from "../source/original.ts";
import { type Validators, validatorsOf } from "../source/validators.ts";
import type { Store } from "../storage/providers.ts";
import { hasTemporary, temporaryEnd } from "../storage/volatile.ts";
import { type Answer, answerOf } from "./answer.ts";
import type { Pipeline } from "./edges.ts";
import type { Job, Ports, Source } from "./job.ts";
import { bytesOf, type NamedBy, namesFor, type NameOf } from "./result-names.ts";

/** What finding an earlier result needs. */
export interface ReusePorts extends NamedBy {
  readonly now: () => number;
  /** @param heldBytes of the original, which is held while somebody else's result is waited for */
  readonly recall: (name: string, heldBytes: number) => Promise<KnownResult | undefined>;
  readonly isThere: (url: string) => Promise<boolean>;
  /** An original with what its origin says of it; null when it is the known one. */
  readonly readIfChanged: (
    source: Extract<Source, { kind: "fetch" }>,
    known: Validators,
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly original: Original; readonly validators: Validators } | null>;
}

/** Where earlier results are looked for. */
interface ReusePlace {
  /** The meter of the account. */
  readonly meter: string;
  readonly baseUrl: string;
  /** That of the account's records. */
  readonly database: string;
  /** The claim of a request that may wait for a result that somebody works on; absent: it does not. */
  readonly claim?: string | undefined;
}

/** Who has much in memory does not hold it while somebody else works, who may need the room. */
function askOf(claim: string | undefined, heldBytes: number): ClaimAsk | undefined {
  return claim === undefined ? undefined : { claim, waitMs: heldBytes > SMALL_ORIGINAL_BYTES ? 0 : REUSE_WAIT_MS };
}

export function reusePortsOf(
  env: Env,
  settings: Settings,
  { meter, baseUrl, database, claim }: ReusePlace,
): ReusePorts {
  const stub: DurableObjectStub<Meter> = env.METER.getByName(meter);
  return {
    engine: engineVersion(env),
    baseUrl,
    now: Date.now,
    recall: async (name, heldBytes) => stub.recall(name, askOf(claim, heldBytes)),
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

/** What is to be remembered of a result, and under which names. */
export type Named = Pick<Spent, "known" | "knownByBytes">;

/** What a job came to: an earlier result, or one that was worked for, to be remembered where it has a name. */
export interface Outcome {
  readonly answer: Answer;
  readonly isReused: boolean;
  readonly named?: Named;
  /** The file of a single result that was worked for. */
  readonly encoded?: Encoded;
}

/**
 * Carries out a job, unless its result is there already.
 * @throws ApiError as the pipeline does
 */
export async function processOrReuse(
  pipeline: Pick<Pipeline, "process">,
  job: Job,
  ports: Ports,
  reuse: ReusePorts,
): Promise<Outcome> {
  const { source, processing } = job;
  if (processing.reuse !== true) return worked(pipeline, job, ports);
  const nameOf = await namesFor(job, reuse);
  if (source.kind === "fetch") return fetchedOrReused(pipeline, { ...job, source }, ports, reuse, nameOf);
  const sent = await bytesOf(source.original);
  const name = await nameOf(sent);
  const known = await usable(name, reuse, sent.length);
  if (known) return reused(known, sent.name);
  const outcome = await worked(pipeline, job, ports);
  const made = namedResult(name, { original: sent.hash }, outcome, job, reuse);
  return { ...outcome, ...(made && { named: { known: made } }) };
}

/**
 * The same for a picture that is fetched: its result is looked for by its address, and once its bytes are there by
 * these. Who waits for others that fetch from the same address may then wait for those who have the same bytes, who
 * wait for nobody.
 */
async function fetchedOrReused(
  pipeline: Pick<Pipeline, "process">,
  job: Job & { readonly source: Extract<Source, { kind: "fetch" }> },
  ports: Ports,
  reuse: ReusePorts,
  nameOf: NameOf,
): Promise<Outcome> {
  const { source } = job;
  const name = await nameOf(["fetch", source.url, inOrder(source.headers)]);
  const known = await usable(name, reuse);
  const found = await reuse.readIfChanged(source, known?.validators ?? {}, ports.jobLimits?.signal);
  if (!found) return reused(known);
  const { original, validators } = found;
  try {
    const fetched = await bytesOf(original);
    if (known && known.original === fetched.hash) return reused(known, original.name);
    const byBytes = await nameOf(fetched);
    const sent = await usable(byBytes, reuse, fetched.length);
    if (sent) return reused(sent, original.name);
    const outcome = await worked(pipeline, job, { ...ports, readOriginal: async () => original });
    const made = namedResult(name, { original: fetched.hash, validators: short(validators) }, outcome, job, reuse);
    const named = made && { known: made, knownByBytes: { name: byBytes, result: made.result } };
    return { ...outcome, ...(named && { named }) };
  } finally {
    original.memory.release();
  }
}

async function worked(pipeline: Pick<Pipeline, "process">, job: Job, ports: Ports): Promise<Outcome> {
  const result = await pipeline.process(job, ports);
  const [{ encoded } = {}] = result.outputs;
  return { answer: answerOf(job.processing, result), isReused: false, ...(encoded && { encoded }) };
}

/** What was remembered, as far as it is still there: of several results all of them. */
async function usable(
  name: string,
  { recall, isThere, now }: ReusePorts,
  heldBytes = 0,
): Promise<KnownResult | undefined> {
  try {
    const known = await recall(name, heldBytes);
    if (!known || known.forgottenAt <= now()) return undefined;
    const urls = resultsIn(JSON.parse(known.answer) as Answer).map(({ url }) => url);
    // A store of the caller's is not asked: what was written there is taken to be there.
    const temporary = urls.filter((url) => temporaryEnd(url, now()) !== undefined);
    const are = await Promise.all(temporary.map(isThere));
    return are.every(Boolean) ? known : undefined;
  } catch (error) {
    // Doing the work is what the caller would have without the member.
    logLine("error", { event: "result not recalled", causes: causesOf(error) });
    return undefined;
  }
}

/** The results of an answer. */
function resultsIn<One, Several>(
  answer: { readonly output: One } | { readonly outputs: Readonly<Record<string, Several>> },
): readonly (One | Several)[] {
  return "output" in answer ? [answer.output] : Object.values(answer.outputs);
}

/** Whether an answer is an earlier one. */
export function isReused(answer: Answer | Processed): boolean {
  return resultsIn(answer).some(({ reused }) => reused);
}

/** @param name of the original that was sent now; its bytes are the same, whatever it is called */
function reused(known: KnownResult | undefined, name?: string): Outcome {
  if (!known) throw new Error("An origin calls an image unchanged that nobody knows");
  const answer = JSON.parse(known.answer) as Answer;
  const input = name ? { ...answer.input, name } : answer.input;
  const marked = <Output extends SetOutput>(output: Output) => ({ ...output, reused: true as const });
  if ("output" in answer) return { answer: { ...answer, input, output: marked(answer.output) }, isReused: true };
  const outputs = Object.fromEntries(Object.entries(answer.outputs).map(([entry, one]) => [entry, marked(one)]));
  return { answer: { ...answer, input, outputs }, isReused: true };
}

/** What is to be remembered of a result; undefined where it soon ends, or is too long. */
function namedResult(
  name: string,
  original: Pick<KnownResult, "original" | "validators">,
  { answer }: Outcome,
  { processing: { store, outputs } }: Job,
  { now }: ReusePorts,
): NamedResult | undefined {
  const moment = now();
  const endOf = ({ url }: SetOutput, own?: Store): number =>
    own ? moment + STORED_RESULT_KEPT_MS : (temporaryEnd(url, moment) ?? 0) - REUSE_MARGIN_MS;
  const ends =
    "output" in answer
      ? [endOf(answer.output, store)]
      : Object.entries(answer.outputs).map(([entry, one]) => endOf(one, outputs ? outputs[entry]?.store : store));
  const forgottenAt = Math.min(...ends);
  const text = JSON.stringify(answer);
  const most = "output" in answer ? MAX_KNOWN_ANSWER_CHARACTERS : MAX_KNOWN_SET_CHARACTERS;
  if (forgottenAt <= moment || text.length > most) return undefined;
  return { name, result: { forgottenAt, answer: text, ...original } };
}

/** An origin that says much says it in vain. */
function short({ etag, modified }: Validators): Validators {
  const isShort = (text: string | undefined) => text !== undefined && text.length <= MAX_VALIDATOR_CHARACTERS;
  return { ...(etag && isShort(etag) && { etag }), ...(modified && isShort(modified) && { modified }) };
}
