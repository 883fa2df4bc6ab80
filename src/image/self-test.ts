/** Whether this deployment can do its work: a small picture through every format that it writes. */
import * as v from "valibot";

import type { FormatDefinition } from "./format.ts";
import { FORMATS } from "./formats.ts";
import { OPERATIONS } from "./operations.ts";
import { Output } from "./output.ts";
import { type Order, render } from "./render.ts";

/** One pixel, WebP lossless: enough to wake a decoder, enlarged to wake every encoder. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const SIDE = 16;

export interface FormatReport {
  /** As answers spell it: `JPEG`. */
  readonly format: string;
  /** Why it could not be written, or what was written not be read; undefined when all is well. */
  readonly failure: unknown;
}

/** Encodes a picture of 16 x 16 into every format that can be written, and decodes each result. */
export async function testFormats(): Promise<FormatReport[]> {
  const reports: FormatReport[] = [];
  for (const [name, row] of Object.entries<FormatDefinition>(FORMATS)) {
    if (!row.encode) continue;
    const failure = await roundTrip(name).then(
      () => undefined,
      (error: unknown) => error,
    );
    reports.push({ format: row.label, failure });
  }
  return reports;
}

async function roundTrip(format: string): Promise<void> {
  const resize = v.parse(OPERATIONS.resize.params, { width: SIDE, height: SIDE, mode: "exact" });
  const there = await render(PIXEL, order(format, { resize }));
  const back = await render(there.output.bytes, order("png", {}));
  if (back.input.facts.width !== SIDE || back.output.facts.width !== SIDE) throw new Error("Another size came back");
}

function order(format: string, operations: Order["operations"]): Order {
  return {
    operations,
    output: v.parse(Output, { format }),
    optimize: undefined,
    overlays: new Map(),
    accept: undefined,
  };
}
