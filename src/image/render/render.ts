/**
 * One picture from file to file: identify, plan, decode, work, encode. Everything a job will hold in memory is known
 * before it starts, and is waited for.
 */
import type { Allowance } from "../../scheduler/job-limits.ts";
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import { withoutMemory } from "../codec/guard.ts";
import { metadataBytes } from "../metadata/blocks.ts";
import type { OperationName } from "../operations.ts";
import type { Box } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import type { Stopwatch } from "../pixels/stopwatch.ts";
import { readHeaders } from "../plan/detect.ts";
import { aimOf, type Optimize, type Output } from "../plan/output.ts";
import { withInputOptions, type InputOptions, inSpace, pictureOf } from "../plan/planned-picture.ts";
import type { VerifiedStore } from "../provenance/verify.ts";
import { optimized } from "../search/attempts.ts";
import type { Rendition } from "../search/rendition.ts";
import type { Trace } from "../search/trace.ts";
import { unpackedFor } from "./embedded-file.ts";
import { originFor } from "./origin.ts";
import { bestOf, inTryingOrder, outputFormatsOf } from "./output-formats.ts";
import { inOwnRange } from "./own-range.ts";
import { isOfFirstFrame, planOperations, targetOf } from "./plan-operations.ts";
import {
  actionsFor,
  type ProvenanceMeans,
  provenanceOf,
  signingFor,
  statedSourceType,
  withStatement,
} from "./provenance.ts";
import { besideGainMap, besideHeld, resultGainMap, withGainMap, withResultGainMap } from "./result-gain-map.ts";
import { besideMetadata, keptOf, withMetadata } from "./result-metadata.ts";

/** What to do with a picture, as requests say it. */
export interface Order {
  readonly operations: { readonly [Name in OperationName]?: unknown };
  /** How the original is read; absent: what is damaged is refused. */
  readonly input?: InputOptions | undefined;
  readonly output: Output | undefined;
  readonly optimize: Optimize | undefined;
  /** The files of saved pictures that operations need, by id. */
  readonly overlays: ReadonlyMap<string, Uint8Array>;
  /** Media types that the client takes, for `output.format: "auto"`; absent: what the open web takes. */
  readonly accept: string | undefined;
  /** Told how long decoding and operations take. */
  readonly stopwatch?: Stopwatch | undefined;
  /** Told what searches do; absent: nobody asks. */
  readonly trace?: Trace | undefined;
  /** What the job may take, and when it ends; absent: anything. */
  readonly allowance?: Allowance | undefined;
  /** How to judge where the original is from; absent: nobody asks. */
  readonly provenance?: ProvenanceMeans | undefined;
}

export interface Rendered {
  readonly input: {
    readonly format: FormatDefinition;
    readonly facts: Facts;
    /** In whole pixels of the upright picture, most prominent first; absent when none were sought. */
    readonly faces?: readonly Box[] | undefined;
    /** Where was looked, in shares of the upright picture; absent when nobody asked. */
    readonly focus?: Point | undefined;
    /** Its manifests; absent where it has none. */
    readonly provenance?: VerifiedStore | undefined;
  };
  readonly output: Rendition & { readonly format: FormatDefinition; readonly facts: Facts };
}

/**
 * Carries out an order. The result's bytes are the caller's to release.
 * @param source the bytes of the original, which are released when they will not be read again
 * @throws ApiError 415, 422 or 503; what its allowance ends it with
 */
export async function render(source: SharedBytes, order: Order): Promise<Rendered> {
  let isHandedOver = false;
  let heldBytes = source;
  try {
    const { allowance, stopwatch } = order;
    const found = withInputOptions(await readHeaders(source, allowance), order.input);
    const { output } = order;
    const provenance = await provenanceOf(found, order.provenance);
    const firstOnly = isOfFirstFrame(found, output);
    const begin = withGainMap(inSpace({ ...found, stopwatch, firstOnly }, order.output?.profile), order.output);
    const { plan, steps, faces, focus } = await planOperations(begin, order, targetOf(begin, order.output));
    const kept = keptOf(begin, order.output, undefined, statedSourceType(provenance));
    const signing = await signingFor(found, provenance, output, order.provenance);
    const besides = metadataBytes(kept) + (signing?.bytes ?? 0);
    const asked = besideMetadata(aimOf(order.output, order.optimize), besides);
    const encoding = order.output?.encoding;
    const formats = inTryingOrder(await outputFormatsOf(begin, plan, order), asked, pictureOf(begin, plan));
    const stored = inOwnRange(begin, plan, formats, output);
    const gainMap = await resultGainMap(stored, { steps, formats, aim: asked, encoding }, allowance);
    const aim = besideGainMap(asked, gainMap);
    const keepsMetadata = order.output?.metadata === "all";
    const { source: held, ...origin } = await originFor({ stored, plan, source }, formats, aim, allowance);
    const shown = { ...origin, stored: besideHeld(origin.stored, gainMap) };
    heldBytes = held;
    const made = await bestOf(formats, aim, async (format, upperBoundBytes, upperBoundSampleBytes) => {
      const isLast = format === formats.at(-1);
      const options = {
        ...shown,
        format,
        aim,
        encoding,
        keepsMetadata,
        trace: order.trace,
        upperBoundBytes,
        upperBoundSampleBytes,
        isLast,
      };
      const unpacked = await unpackedFor(format, shown.stored, allowance);
      if (unpacked) return optimized({ ...options, stored: unpacked.stored }, unpacked.source, allowance);
      isHandedOver = isLast;
      return optimized(options, isLast ? held : held.retain(), allowance);
    });
    const done = actionsFor(steps, order.operations);
    const best = await withStatement(withResultGainMap(withMetadata(made, kept), gainMap), signing, done);
    const facts = best.format.read.factsOf(best.file.bytes);
    return { input: { ...stored, faces, focus, provenance }, output: { ...best, facts } };
  } catch (error) {
    throw withoutMemory(error);
  } finally {
    if (!isHandedOver) heldBytes.release();
  }
}
