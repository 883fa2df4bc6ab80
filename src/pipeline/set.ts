/** The pipeline for several results of one original: all of them, or none. */
import { PROVENANCE, pixelAnalyses } from "../contract/members.ts";
import type { InputMetadata, Processed, SetOutput, SetSuccess, Success } from "../contract/response.ts";
import { startStopwatch } from "../image/pixels/stopwatch.ts";
import type { Answers } from "../image/render/analyze.ts";
import type { Base, Original } from "../image/render/order.ts";
import { render } from "../image/render/render.ts";
import { SharedBytes } from "../scheduler/shared-bytes.ts";
import { openStores, storeKey } from "./named-stores.ts";
import { pictureOf, type Shown, srcsetsOf } from "./picture-html.ts";
import {
  chainIn,
  countPicture,
  foundIn,
  countTime,
  type Job,
  measured,
  looksOf,
  warningsOf,
  metadata,
  NONE,
  type Place,
  type Ports,
  rename,
  withOverlays,
} from "./process.ts";
import { entriesOf, type Entry, refusalOf, skippedWidths } from "./set-entries.ts";
import { SetFiles } from "./set-files.ts";

export type SetResult = Omit<SetSuccess, "success" | "code" | "id">;

/** In the place of a format where results have several. */
const SEVERAL = "several";

/** What was done for an answer, as it is counted: every result takes a credit. */
export function spentFor(
  answer: Pick<Processed, "input"> & Partial<Pick<SetSuccess, "outputs"> & Pick<Success, "output">>,
): {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly credits: number;
} {
  const results = answer.outputs ? Object.values(answer.outputs) : answer.output ? [answer.output] : [];
  const bytesOut = results.reduce((sum, { bytes }) => sum + bytes, 0);
  return { bytesIn: answer.input.bytes, bytesOut, credits: results.length };
}

/**
 * Carries a job from its source to its stored results. Where one of them fails nothing is kept that is ours to take
 * back.
 * @throws ApiError 413, 415, 422 or 503; what the allowance ends it with
 */
export async function processSet(job: Job, ports: Ports): Promise<SetResult> {
  const stores = await openStores(job.processing, (store, isShared) => ports.openStore(job.accountId, store, isShared));
  const original = await ports.readOriginal(job.source, ports.allowance?.signal, ports.allowance?.caller);
  const files = new SetFiles(ports, (entry) => stores.get(storeKey(entry.store)), original.name);
  try {
    const sent = await measured(original.bytes);
    const { stopwatch = startStopwatch(), allowance } = ports;
    let base: Base | undefined;
    const rendered = await withOverlays(job, ports, (overlays) => {
      const { output: _, optimize: __, store: ___, outputs: ____, srcset: _____, ...members } = job.processing;
      const { analyze: names, input, ...operations } = members;
      const analyze = pixelAnalyses(names);
      const entries = (found: Base) => entriesOf(job.processing, (base = found));
      const { accept } = job;
      const means = { overlays, stopwatch, allowance, provenance: ports.provenanceFor?.(job.accountId) };
      const order = { operations, input, analyze, entries, refusalOf, accept, ...means };
      const source = SharedBytes.of(original.bytes, original.memory);
      return render(source, order, (entry, made) => files.take(entry, made));
    }).catch((error: unknown) => {
      countTime(stopwatch, NONE, NONE);
      throw error;
    });
    countTime(stopwatch, rendered.input.format.label, SEVERAL);
    // What is stored now is stored again by whoever does the work instead.
    allowance?.signal?.throwIfAborted();
    const input = metadata(rendered.input, original.name || rename("", rendered.input.format), sent);
    const answers = await answersOf(files, await files.finish(), { input, original: rendered.input });
    const asked = Object.keys(job.processing.outputs ?? answers);
    const outputs = Object.fromEntries(asked.flatMap((name) => (answers[name] ? [[name, answers[name]]] : [])));
    const names = job.processing.analyze;
    const analysis = names && { ...rendered.analysis, ...chainIn(names, rendered.input) };
    return {
      input: { ...input, ...foundIn(rendered.input) },
      outputs,
      ...srcsetOf(job, files, outputs, base),
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

async function answersOf(
  { files }: SetFiles,
  places: readonly Place[],
  { input, original }: { input: InputMetadata; original: Original },
): Promise<Record<string, SetOutput>> {
  const answers: [string, SetOutput][] = [];
  for (const [index, { entry, made, name, described }] of files.entries()) {
    const { output, analysis } = made;
    const result = metadata(output, name, await described);
    countPicture(input, result);
    const saved = Math.max(0, input.bytes - result.bytes);
    answers.push([
      entry.name,
      {
        ...result,
        saved,
        ...looksOf(output),
        ...warningsOf(original, output),
        ...(places[index] ?? { url: "" }),
        ...analysisOf(entry, analysis, original),
      },
    ]);
  }
  return Object.fromEntries(answers);
}

function analysisOf({ analyze, tellsProvenance }: Entry, found: Answers | undefined, original: Original) {
  const names = tellsProvenance ? [PROVENANCE] : [];
  return analyze || tellsProvenance ? { analysis: { ...found, ...chainIn(names, original) } } : {};
}

/** What a page needs to show a srcset. */
function srcsetOf(
  { processing: { srcset } }: Job,
  { files }: SetFiles,
  outputs: Readonly<Record<string, SetOutput>>,
  base: Base | undefined,
): Pick<SetResult, "srcset" | "html" | "skipped"> {
  if (!srcset || !base) return {};
  const shown = files.flatMap(({ entry, made }): Shown[] => {
    const output = outputs[entry.name];
    if (!output || entry.shownAs === undefined) return [];
    const { url, width, height } = output;
    return [{ format: entry.shownAs, mime: made.output.format.mime, url, width, height }];
  });
  const skipped = skippedWidths(srcset, base);
  const html = pictureOf(shown, srcset.sizes);
  return { srcset: srcsetsOf(shown), html, ...(skipped.length > 0 && { skipped }) };
}
