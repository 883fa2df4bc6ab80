/**
 * The pieces of work that estimates are declared for, one by one: reading, writing, rewriting, operations and the
 * score.
 */
import type { FormatDefinition, RecompressSettings, RequantizeSettings } from "../../src/image/codec/format.ts";
import { decodedFrames, ownTimeSlice, paced } from "../../src/image/codec/metered-rows.ts";
import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import type { OperationName } from "../../src/image/operations.ts";
import { whole } from "../../src/image/pixels/geometry.ts";
import type { Picture } from "../../src/image/pixels/picture.ts";
import type { Rows } from "../../src/image/pixels/rows.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { opaqueAfter, sizeAfter } from "../../src/image/plan/plan.ts";
import { stepEstimate, applied } from "../../src/image/plan/planned-picture.ts";
import type { SingleOrder } from "../../src/image/render/order.ts";
import { scoreEstimate } from "../../src/image/search/score.ts";
import type { Step } from "../../src/image/steps/operation.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import type { TimeSlice } from "../../src/scheduler/time-slice.ts";
import { parallel, type Estimate } from "../../wasm/estimate.ts";
import { planned } from "../support/operations.ts";
import { rendered } from "../support/render.ts";
import { type Pixels, rowsOf } from "../support/rows.ts";
import { scoreRows } from "../support/scores.ts";
import type { Job } from "./estimate-watch.ts";

const BAND_ROWS = 16;

type Order_ = Pick<SingleOrder, "operations" | "optimize"> & { readonly to: FormatName };

/** A request, from file to file. */
export function request(
  name: string,
  bytes: Uint8Array,
  { to, operations = {}, optimize }: Partial<Order_> & { to: FormatName },
): Job {
  const output = { format: to };
  return { name, run: () => rendered(bytes, { operations, output, optimize: { lossless: false, ...optimize } }) };
}

/** A piece of work as a job of its own. */
function piece(name: string, estimate: () => Estimate, work: (timeSlice: TimeSlice) => Promise<unknown>): Job {
  return { name, run: () => isolateBudget.run(estimate(), work) };
}

async function readThrough(rows: Rows): Promise<void> {
  try {
    while (await rows.read(BAND_ROWS)) continue;
  } finally {
    rows.close();
  }
}

/**
 * Reading a file.
 * @param divisor how many times smaller than it is the picture will be used
 */
export function reading(name: string, bytes: Uint8Array, divisor = 1): Job {
  const { format, facts } = identify(bytes);
  const { width, height } = facts;
  const demand = { box: whole(facts), width: Math.ceil(width / divisor), height: Math.ceil(height / divisor) };
  return piece(
    name,
    () => format.read.estimate(facts, demand),
    async (timeSlice) => {
      for await (const { rows } of decodedFrames(format, bytes, facts, demand, timeSlice)) await readThrough(rows);
    },
  );
}

/** Writing a picture whose pixels are there. */
export function writing(name: string, to: FormatName, picture: Picture, settings: EncodeSettings): Job {
  const { write }: FormatDefinition = FORMATS[to];
  if (!write) throw new RangeError(`${to} is not written`);
  return piece(
    name,
    () => write.estimate(picture, settings),
    (timeSlice) => write.encode(picture, settings, timeSlice),
  );
}

/** Writing a file anew without decoding pixels. */
export function recompressing(name: string, bytes: Uint8Array, settings: RecompressSettings): Job {
  const { format, facts } = identify(bytes);
  const { recompress } = format;
  if (!recompress) throw new RangeError("the format is not recompressed");
  return piece(
    name,
    () => recompress.estimate(bytes, facts, settings),
    (timeSlice) => recompress.run(bytes, facts, settings, timeSlice),
  );
}

/** Dividing the coefficients of a file anew, or turning them. */
export function requantizing(name: string, bytes: Uint8Array, settings: RequantizeSettings): Job {
  const { format, facts } = identify(bytes);
  const { coefficients } = format;
  if (!coefficients) throw new RangeError("the format has no coefficients");
  return piece(
    name,
    () => coefficients.estimate(bytes, facts, settings),
    (timeSlice) => coefficients.requantize(bytes, facts, settings, timeSlice),
  );
}

/** The steps of an operation, on pixels that are there. */
export async function operating(
  operation: OperationName,
  params: object,
  pixels: Pixels,
  { opaque = true, overlay }: { readonly opaque?: boolean; readonly overlay?: ArrayBuffer } = {},
): Promise<Job> {
  const steps = await planned(operation, params, pixels, { opaque, ...(overlay && { overlay }) });
  const estimates: Estimate[] = [];
  let at = { size: { width: pixels.width, height: pixels.height }, opaque };
  for (const step of steps) {
    estimates.push(stepEstimate(step, at.size, at.opaque));
    at = { size: sizeAfter(step, at.size), opaque: opaqueAfter(step, at.opaque) };
  }
  const megapixels = ((pixels.width * pixels.height) / 1e6).toFixed(0);
  const words = JSON.stringify(params).replaceAll(/[{}"]/gu, "").replaceAll(",", " ");
  return piece(
    `operation: ${operation} ${words} ${megapixels} MP${opaque ? "" : " with alpha"}`,
    () => parallel(...estimates),
    async (timeSlice) => {
      const next = (rows: Rows, step: Step, index: number) => {
        const own = ownTimeSlice(timeSlice);
        return paced(applied(rows, step, own), estimates[index]?.ms ?? 0, timeSlice, own);
      };
      await readThrough(steps.reduce(next, rowsOf(pixels, opaque)));
    },
  );
}

/** Comparing a picture with one rendition. */
export function scoring(name: string, first: Pixels, second: Pixels, opaque = true): Job[] {
  const looked = { width: first.width, height: first.height, opaque };
  const rows = (pixels: Pixels) => rowsOf(pixels, opaque);
  return [
    piece(
      `score: ${name}`,
      () => scoreEstimate(looked),
      (timeSlice) => scoreRows(rows(first), rows(second), timeSlice),
    ),
  ];
}
