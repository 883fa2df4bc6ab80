/**
 * The pipeline: source → pixels → bytes → storage → answer, for one result or several. The request handlers and the
 * queue consumer walk the same one; its edges are ports, so that nothing here knows HTTP, bindings or the clock.
 */
import type { Look } from "../account/alike.ts";
import { PROVENANCE } from "../contract/members.ts";
import { isSet, type Processing } from "../contract/request.ts";
import type { AnalysisAnswers, InputMetadata } from "../contract/response.ts";
import { ApiError } from "../errors.ts";
import { OPERATIONS, type OperationName } from "../image/operations.ts";
import { startStopwatch } from "../image/pixels/stopwatch.ts";
import type { Answers } from "../image/render/analyze.ts";
import type { Base, Original as RenderedInput } from "../image/render/order.ts";
import { render } from "../image/render/render.ts";
import type { OperationRow } from "../image/steps/operation.ts";
import { discard, type HeldBytes } from "../scheduler/held-bytes.ts";
import { SharedBytes } from "../scheduler/shared-bytes.ts";
import {
  chainIn,
  countPicture,
  countTime,
  foundIn,
  looksOf,
  measured,
  metadata,
  NONE,
  rename,
  warningsOf,
} from "./describe.ts";
import { beginningOf, entriesOf, type Entry, refusalOf, skippedWidths } from "./entries.ts";
import type { Job, Ports, Result, StoredResult } from "./job.ts";
import { openStores, storeKey } from "./named-stores.ts";
import { pictureOf, type Shown, srcsetsOf } from "./picture-html.ts";
import { type KeptFile, ResultFiles } from "./result-files.ts";
import { SearchReports } from "./search-report.ts";

/** In the place of a format where results have several. */
const SEVERAL = "several";

/**
 * Carries a job from its source to its stored results. Where one of them fails nothing is kept that is ours to take
 * back.
 * @param make makes the files; tests put one in its place that fails
 * @throws ApiError 413, 415, 422 or 503; what the limits of its job end it with
 */
export async function process(job: Job, ports: Ports, make = render<Entry>): Promise<Result> {
  const { accountId, processing, accept } = job;
  const { stopwatch = startStopwatch(), jobLimits } = ports;
  const stores = await openStores(processing, (store, isShared) => ports.openStore(accountId, store, isShared));
  const original = await ports.readOriginal(job.source, jobLimits?.signal, jobLimits?.caller);
  const reports = processing.response?.explain === true ? new SearchReports() : undefined;
  const files = new ResultFiles(ports, (entry) => stores.get(storeKey(entry.store)), original, !isSet(processing));
  try {
    const sent = await measured(original.bytes);
    let base: Base | undefined;
    const rendered = await withOverlays(job, ports, (overlays) => {
      const entries = (found: Base) => entriesOf(processing, (base = found));
      const means = { overlays, stopwatch, jobLimits, provenance: ports.provenanceFor?.(accountId) };
      const order = { ...beginningOf(processing), entries, refusalOf, accept, trace: reports?.trace, ...means };
      const source = SharedBytes.of(original.bytes, original.memory);
      return make(source, order, (entry, made) => files.take(entry, made));
    }).catch((error: unknown) => {
      countTime(stopwatch, NONE, NONE);
      throw error;
    });
    const [first] = files.files;
    countTime(
      stopwatch,
      rendered.input.format.label,
      files.isAlone && first ? first.made.output.format.label : SEVERAL,
    );
    // What is stored now is stored again by whoever does the work instead.
    jobLimits?.signal?.throwIfAborted();
    const input = metadata(rendered.input, original.name || rename("", rendered.input.format), sent);
    const outputs = inOrderOf(processing, await storedBy(files, { input, original: rendered.input, reports }));
    const { analyze: names } = processing;
    const analysis = !files.isAlone && names && { ...rendered.analysis, ...chainIn(names, rendered.input) };
    await ports.keepLooks?.(
      accountId,
      looksLike(job.id, input.name, [analysis, ...outputs.map((one) => one.analysis)]),
    );
    return {
      input: { ...input, ...foundIn(rendered.input) },
      outputs,
      ...pageOf(processing, files.files, outputs, base),
      ...(analysis && { analysis }),
    };
  } catch (error) {
    await files.remove();
    throw error;
  } finally {
    files.close();
    // What failed before somebody owned the bytes still holds their memory, and so does a result that is the original.
    original.memory.release();
  }
}

/** The hashes that were asked for, each once. */
function looksLike(id: string, name: string, all: readonly (AnalysisAnswers | false | undefined)[]): Look[] {
  const hashes = new Set(all.flatMap((analysis) => (analysis && analysis.phash) || []));
  return [...hashes].map((phash) => ({ phash, id, name }));
}

/** Stores what is not stored yet, and says what each result is. */
async function storedBy(
  files: ResultFiles,
  {
    input,
    original,
    reports,
  }: {
    readonly input: InputMetadata;
    readonly original: RenderedInput;
    /** Absent: nobody asks what searches tried. */
    readonly reports: SearchReports | undefined;
  },
): Promise<StoredResult[]> {
  const places = await files.finish();
  const stored: StoredResult[] = [];
  for (const [index, { entry, made, encoded, described }] of files.files.entries()) {
    const result = metadata(made.output, encoded.name, await described);
    countPicture(input, result);
    const saved = Math.max(0, input.bytes - result.bytes);
    const said = {
      ...looksOf(made.output),
      ...warningsOf(original, made.output),
      ...(reports && { search: reports.of(entry) }),
    };
    const output = { ...result, saved, ...said, ...(places[index] ?? { url: "" }) };
    const analysis = analysisOf(entry, made.analysis, original);
    stored.push({ name: entry.name, output, ...(analysis && { analysis }), ...(files.isAlone && { encoded }) });
  }
  return stored;
}

function analysisOf(
  { analyze, tellsProvenance }: Entry,
  found: Answers | undefined,
  original: RenderedInput,
): AnalysisAnswers | undefined {
  const names = tellsProvenance ? [PROVENANCE] : [];
  return analyze || tellsProvenance ? { ...found, ...chainIn(names, original) } : undefined;
}

/** Results in the order in which a request names them; those of a srcset as they were made. */
function inOrderOf({ outputs = {} }: Processing, stored: readonly StoredResult[]): readonly StoredResult[] {
  const names = Object.keys(outputs);
  return stored.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/** What a page needs to show a srcset. */
function pageOf(
  { srcset }: Processing,
  files: readonly KeptFile[],
  outputs: readonly StoredResult[],
  base: Base | undefined,
): Pick<Result, "srcset" | "html" | "skipped"> {
  if (!srcset || !base) return {};
  const shown = files.flatMap(({ entry, encoded: { mime } }): Shown[] => {
    const output = outputs.find(({ name }) => name === entry.name)?.output;
    if (!output || entry.shownAs === undefined) return [];
    const { url, width, height } = output;
    return [{ format: entry.shownAs, mime, url, width, height }];
  });
  const skipped = skippedWidths(srcset, base);
  const html = pictureOf(shown, srcset.sizes);
  return { srcset: srcsetsOf(shown), html, ...(skipped.length > 0 && { skipped }) };
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
async function withOverlays<Result>(
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
