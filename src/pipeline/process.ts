/**
 * The pipeline: source → pixels → bytes → storage → answer. The request handlers and the queue consumer walk the same
 * one; its edges are ports, so that nothing here knows HTTP, bindings or the clock.
 */
import { PROVENANCE, pixelAnalyses } from "../contract/members.ts";
import type { Processing } from "../contract/request.ts";
import type { AnalysisAnswers, InputMetadata, OutputMetadata } from "../contract/response.ts";
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import type { Facts, FormatDefinition } from "../image/codec/format.ts";
import { OPERATIONS, type OperationName } from "../image/operations.ts";
import { turnSize } from "../image/pixels/geometry.ts";
import { type Part, startStopwatch, type Stopwatch } from "../image/pixels/stopwatch.ts";
import { chainOf, summaryOf } from "../image/provenance/report.ts";
import { analyze } from "../image/render/analyze.ts";
import type { Original as RenderedInput, ResultFile } from "../image/render/order.ts";
import type { ProvenanceMeans } from "../image/render/provenance.ts";
import { renderOne } from "../image/render/render.ts";
import { looksAt } from "../image/search/second-opinion.ts";
import type { OperationRow } from "../image/steps/operation.ts";
import { count } from "../metrics.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Caller } from "../scheduler/caller.ts";
import { discard, type HeldBytes } from "../scheduler/held-bytes.ts";
import type { Allowance } from "../scheduler/job-limits.ts";
import { SharedBytes } from "../scheduler/shared-bytes.ts";
import type { Original } from "../source/original.ts";
import type { Store } from "../storage/providers.ts";
import { openStores } from "./named-stores.ts";

/** Where the image of a job comes from. */
export type Source =
  | { readonly kind: "upload"; readonly original: Original }
  | { readonly kind: "fetch"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** One accepted piece of work: plain data, already valid. */
export interface Job {
  readonly id: string;
  readonly accountId: string;
  readonly source: Source;
  readonly processing: Processing;
  /** The request's Accept header, for `output.format: "auto"`. */
  readonly accept: string | undefined;
}

/** Where a result is found, and until when, where that ends. */
export type Place = Pick<OutputMetadata, "url" | "expires_at">;

/** What the pipeline needs from the outside. */
export interface Ports {
  /**
   * @param caller who waits for room
   * @throws ApiError 413, 415, 422 (also when the signal is aborted), or 503 when there is no room for its bytes in
   *   time
   */
  readonly readOriginal: (source: Source, signal?: AbortSignal, caller?: Caller) => Promise<Original>;
  /** @throws ApiError 422 when the account has no such watermark, 503 when there is no room for its bytes */
  readonly readWatermark: (accountId: string, id: string) => Promise<HeldBytes>;
  /** Puts a result where its URL serves it for a while. */
  readonly keepTemporarily: (encoded: Encoded) => Promise<Place>;
  /** Takes such a result away again. */
  readonly removeTemporary: (url: string) => Promise<void>;
  /**
   * The way into the caller's own store, found before the work is done.
   * @param isShared several results go there, and must not be one object
   * @throws ApiError 422 when the account lacks the connector or keyfile, or it names one object for several results,
   *   and later when the store refuses
   */
  readonly openStore: (
    accountId: string,
    store: Store,
    isShared?: boolean,
  ) => Promise<(encoded: Encoded) => Promise<{ url: string }>>;
  /** Told how long decoding, operations and encoding take. */
  readonly stopwatch?: Stopwatch;
  /** How to judge where originals are from, and who signs for an account; absent: nobody asks. */
  readonly provenanceFor?: ((accountId: string) => ProvenanceMeans) | undefined;
  /** What the job may take of the isolate's processor time; told how much it takes. Absent: anything. */
  readonly allowance?: Allowance;
}

export interface Result {
  readonly input: InputMetadata;
  readonly output: OutputMetadata;
  /** What was asked for with `analyze`. */
  readonly analysis?: AnalysisAnswers | undefined;
  readonly encoded: Encoded;
}

/**
 * Carries a job from its source to its stored result.
 * @param carryOut makes the file of the result; tests put one in its place that fails
 * @throws ApiError 413, 415, 422 or 503; what the allowance ends it with
 */
export async function process(job: Job, ports: Ports, carryOut = renderOne): Promise<Result> {
  const { store } = job.processing;
  const keep = store ? await ports.openStore(job.accountId, store) : ports.keepTemporarily;
  const original = await ports.readOriginal(job.source, ports.allowance?.signal, ports.allowance?.caller);
  try {
    return await carried(job, ports, original, keep, carryOut);
  } finally {
    // What failed before somebody owned the bytes still holds their memory, and so does a result that is the original.
    original.memory.release();
  }
}

type Keep = (encoded: Encoded) => Promise<Place>;

async function carried(
  job: Job,
  ports: Ports,
  original: Original,
  keep: Keep,
  carryOut: typeof renderOne,
): Promise<Result> {
  const { input: options, output, optimize, analyze: _, store: __, ...members } = job.processing;
  const sent = await measured(original.bytes);
  const { stopwatch = startStopwatch(), allowance } = ports;
  const rendered = await withOverlays(job, ports, (overlays) => {
    const { accept } = job;
    const means = { overlays, stopwatch, allowance, provenance: ports.provenanceFor?.(job.accountId) };
    const order = { operations: members, input: options, output, optimize, accept, ...means };
    return carryOut(SharedBytes.of(original.bytes, original.memory), order);
  }).catch((error: unknown) => {
    countTime(stopwatch, NONE, NONE);
    throw error;
  });
  countTime(stopwatch, rendered.input.format.label, rendered.output.format.label);
  const encoded: Encoded = {
    bytes: rendered.output.file.bytes,
    mime: rendered.output.format.mime,
    name: output?.name ?? rename(original.name, rendered.output.format),
  };
  const isView = encoded.bytes.buffer === original.bytes.buffer;
  // The result takes room until it is stored, however slow a store is: what is a view of the original has it already.
  const memory = isView ? undefined : isolateBudget.keep(encoded.bytes.length);
  try {
    const input = metadata(rendered.input, original.name || rename("", rendered.input.format), sent);
    return await kept(job, ports, { rendered, input, encoded, keep });
  } finally {
    memory?.release();
  }
}

interface Finished {
  readonly rendered: Awaited<ReturnType<typeof renderOne>>;
  readonly input: InputMetadata;
  readonly encoded: Encoded;
  readonly keep: Keep;
}

/** Stores what was made, and says what it is. */
async function kept(job: Job, { allowance }: Ports, { rendered, input, encoded, keep }: Finished): Promise<Result> {
  // An answer of success with nothing behind it is worse than a failure.
  if (encoded.bytes.length === 0) throw new Error("The result has no bytes");
  const result = metadata(rendered.output, encoded.name, await measured(encoded.bytes));
  const { analyze: names } = job.processing;
  const pixels = pixelAnalyses(names);
  const analysis = names && {
    ...(pixels && (await analyze(encoded.bytes, pixels, allowance))),
    ...chainIn(names, rendered.input),
  };
  // What is stored now is stored again by whoever does the work instead.
  allowance?.signal?.throwIfAborted();
  const place = await keep(encoded);
  countPicture(input, result);
  const saved = Math.max(0, input.bytes - result.bytes);
  return {
    input: { ...input, ...foundIn(rendered.input) },
    output: {
      ...result,
      saved,
      ...looksOf(rendered.output),
      ...warningsOf(rendered.input, rendered.output),
      ...place,
    },
    ...(analysis && { analysis }),
    encoded,
  };
}

/** What was found out about an original besides what its file is. */
export function foundIn({
  faces,
  focus,
  provenance,
}: RenderedInput): Pick<InputMetadata, "faces" | "focus" | "provenance"> {
  return {
    ...(faces && { faces: [...faces] }),
    ...(focus && { focus }),
    ...(provenance && { provenance: summaryOf(provenance) }),
  };
}

/** Where an original is from, where that is asked for. */
export function chainIn(
  names: readonly string[] | undefined,
  { provenance }: RenderedInput,
): Pick<AnalysisAnswers, "provenance"> {
  return names?.includes(PROVENANCE) ? { provenance: provenance ? chainOf(provenance) : null } : {};
}

/**
 * What an answer says of an original that is not drawn as it says; a drawing that is handed on as such is not drawn.
 */
export function warningsOf(input: RenderedInput, output: Pick<ResultFile, "format">): Pick<OutputMetadata, "warnings"> {
  const { undrawn = [] } = input.facts;
  return undrawn.length > 0 && input.format !== output.format ? { warnings: [...undrawn] } : {};
}

/** What an answer says of how a result looks, by both opinions. */
export function looksOf({
  score,
  metric = score,
  searched,
}: ResultFile): Pick<OutputMetadata, "score" | "looks" | "searched"> {
  return {
    ...(score !== undefined &&
      metric !== undefined && { score: Math.round(metric * 100) / 100, looks: looksAt(score) }),
    ...(searched === false && { searched }),
  };
}

/**
 * Finds what is wrong with a job before its work begins, for a caller who does not wait for the end of it.
 * @throws ApiError 422 when it names something that is not saved in the account
 */
export async function judge(job: Pick<Job, "accountId" | "processing">, ports: Ports): Promise<void> {
  await Promise.all([
    openStores(job.processing, (store, isShared) => ports.openStore(job.accountId, store, isShared)),
    withOverlays(job, ports, () => undefined),
  ]);
}

/** Lends the saved pictures that the job's operations need. */
export async function withOverlays<Result>(
  { accountId, processing }: Pick<Job, "accountId" | "processing">,
  ports: Ports,
  use: (overlays: ReadonlyMap<string, Uint8Array>) => Result | Promise<Result>,
): Promise<Result> {
  const outputs = Object.entries(processing.outputs ?? {});
  const all = [["", processing] as const, ...outputs.map(([name, entry]) => [`outputs.${name}.`, entry] as const)];
  const needed = Object.entries<OperationRow>(OPERATIONS).flatMap(([name, row]) =>
    all.flatMap(([place, members]) => {
      const params = members[name as OperationName];
      const ids = params === undefined ? [] : (row.needs?.(params as never) ?? []);
      return ids.map((id) => ({ id, place }));
    }),
  );
  const overlays = new Map<string, HeldBytes>();
  try {
    for (const { id, place } of needed) {
      if (!overlays.has(id)) overlays.set(id, await placed(place, ports.readWatermark(accountId, id)));
    }
    return await use(new Map(overlays.entries().map(([id, { bytes }]) => [id, bytes])));
  } finally {
    for (const overlay of overlays.values()) discard(overlay);
  }
}

/** What reading came to; a refusal is told with the place of the member that it is about. */
async function placed<Result>(place: string, reading: Promise<Result>): Promise<Result> {
  return reading.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    throw new ApiError(422, `${place}${error.message}`, { cause: error });
  });
}

/** What a format is called where the work came to nothing. */
export const NONE = "none";

export function countTime({ spent }: Stopwatch, from: string, to: string): void {
  const formats = { decode: from, operations: from, encode: to } as const;
  for (const [stage, format] of Object.entries(formats) as [Part, string][]) {
    count("processing_seconds_total", { stage, format }, Math.max(0, spent[stage]) / 1000);
  }
}

export function countPicture(from: InputMetadata, to: InputMetadata): void {
  count("pictures_total", { from: from.format, to: to.format });
  count("picture_bytes_total", { way: "in", format: from.format }, from.bytes);
  count("picture_bytes_total", { way: "out", format: to.format }, to.bytes);
}

/** The name of a result: that of the original with the extension of the format. */
export function rename(name: string, format: FormatDefinition): string {
  const base = name.replace(/\.[^.]*$/, "");
  const [usual] = format.extensions;
  const extension = format.extensions.find((known) => name.toLowerCase().endsWith(`.${known}`)) ?? usual;
  return `${base || "image"}.${extension}`;
}

export type Measured = Pick<InputMetadata, "bytes" | "sha1">;

/** What answers say of the bytes of a file. */
export async function measured(bytes: Uint8Array): Promise<Measured> {
  const digest = await crypto.subtle.digest("SHA-1", bytes as Uint8Array<ArrayBuffer>);
  return { bytes: bytes.length, sha1: new Uint8Array(digest).toHex() };
}

/**
 * What a file is, as answers say it: its size is that of the picture as it is shown, whatever its orientation tag says.
 */
export function metadata(
  { format, facts }: { format: FormatDefinition; facts: Facts },
  name: string,
  { bytes, sha1 }: Measured,
): InputMetadata {
  const { width, height } = turnSize(facts, facts.orientation);
  return {
    name,
    format: format.label,
    width,
    height,
    colorspace: facts.colorspace,
    interlaced: facts.interlaced,
    subsample: facts.subsample,
    sampling: facts.subsample,
    depth: facts.depth,
    quality: facts.quality,
    bytes,
    frames: facts.frames,
    alpha: facts.alpha,
    sha1,
    ...(facts.isPreview && { preview: true }),
  };
}
