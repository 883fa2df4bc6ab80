/** Whether this deployment can do its work: a small picture through every format of the registry. */
import * as v from "valibot";

import type { FormatDefinition } from "../image/codec/format.ts";
import { FORMATS } from "../image/formats.ts";
import { OPERATIONS } from "../image/operations.ts";
import { Output } from "../image/plan/output.ts";
import type { SingleOrder } from "../image/render/order.ts";
import { renderOne } from "../image/render/render.ts";
import { SharedBytes } from "../scheduler/shared-bytes.ts";

/** One pixel, WebP lossless: enough to wake a decoder, enlarged to wake every encoder. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const SIDE = 16;
/** Two frames of one pixel each, white and red, as a GIF. */
const FRAMES = Uint8Array.fromBase64(
  "R0lGODlhAQABAIAAAP////8AACH5BAAKAAAALAAAAAABAAEAAAICRAEAIfkEAAoAAAAsAAAAAAEAAQAAAgJMAQA7",
);

interface FormatReport {
  /** The name of the format as answers spell it: `JPEG`. */
  readonly format: string;
  /** Why it could not be written, or what was written not be read; undefined when all is well. */
  readonly failure: unknown;
}

/**
 * Encodes a picture of 16 x 16 into every format that is written, as a still and as two frames where it can hold them, and
 * decodes each result; decodes a sample of every other. Formats that this deployment leaves out are not named.
 */
export async function testFormats(): Promise<FormatReport[]> {
  const reports: FormatReport[] = [];
  for (const [name, row] of Object.entries<FormatDefinition>(FORMATS)) {
    if (row.leftOut) continue;
    const failure = await (row.write ? roundTrips(name, row) : readSample(row)).then(
      () => undefined,
      (error: unknown) => error,
    );
    reports.push({ format: row.label, failure });
  }
  return reports;
}

async function roundTrips(format: string, { can }: FormatDefinition): Promise<void> {
  if (!can.movesAlone) await roundTrip(format, PIXEL, 1);
  if (can.animation) await roundTrip(format, FRAMES, 2);
}

async function roundTrip(format: string, file: Uint8Array, frames: number): Promise<void> {
  const resize = v.parse(OPERATIONS.resize.params, { width: SIDE, height: SIDE, mode: "exact" });
  const there = await renderOne(SharedBytes.of(file.slice()), order(format, { resize }));
  const back = await renderOne(there.output.file, order("png", {}));
  back.output.file.release();
  if (back.input.facts.width !== SIDE || back.output.facts.width !== SIDE) throw new Error("Another size came back");
  if (back.input.facts.frames !== frames) throw new Error("Not all frames came back");
}

async function readSample({ sample }: FormatDefinition): Promise<void> {
  if (!sample) throw new Error("There is no sample of this format");
  const { output } = await renderOne(SharedBytes.of(sample.slice()), order("png", {}));
  output.file.release();
  if (output.facts.width !== 1) throw new Error("Another size came back");
}

function order(format: string, operations: SingleOrder["operations"]): SingleOrder {
  return {
    operations,
    output: v.parse(Output, { format }),
    optimize: undefined,
    overlays: new Map(),
    accept: undefined,
  };
}
