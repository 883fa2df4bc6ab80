/** What the codecs hold, against what they declare before they start, for every format that can be written. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { whole } from "../../../src/image/pixels/geometry.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { nativeMemoryBytes, trimNative } from "../../../wasm/load.ts";
import { paint, pictureOf } from "../../support/rows.ts";

/** What fresh instances have before anything is opened in them: code, tables, stacks, and whole pages. */
const INSTANCES_BYTES = 3 << 20;
/** A declaration this many times what is held would keep others waiting for nothing. */
const MAX_EXCESS = 6;

const SIZE = { width: 1_300, height: 900 };
const pixels = paint(SIZE.width, SIZE.height, (x, y) => {
  const grain = (Math.imul(x * 7_919 + y * 104_729, 2_654_435_761) >>> 27) & 15;
  return [((x * 200) >> 11) + grain, ((y * 200) >> 10) + grain, 60 + grain + ((x ^ y) & 31), 255];
});

/** All that stills are written in. */
const WRITERS = Object.values<FormatDefinition>(FORMATS).filter(({ write, can }) => write && !can.movesAlone);

interface Held<Result> {
  /** Bytes that all native modules hold after the work. */
  readonly bytes: number;
  /** Bytes of them that were given up before it, and are not collected yet. */
  readonly left: number;
  readonly result: Result;
}

/** What native modules hold after work that began with none, and what the work made. */
async function held<Result>(work: () => Promise<Result>): Promise<Held<Result>> {
  trimNative(0);
  const left = nativeMemoryBytes();
  const result = await work();
  return { bytes: nativeMemoryBytes(), left, result };
}

async function write(format: FormatDefinition, settings: EncodeSettings): Promise<Uint8Array> {
  if (!format.write) throw new Error("cannot be written");
  return format.write.encode(pictureOf([pixels]), settings, UNPAUSED);
}

function expectDeclared(declared: number, bytes: number, left: number): void {
  expect(bytes - left).toBeLessThanOrEqual(declared + INSTANCES_BYTES);
  expect(declared).toBeLessThanOrEqual(MAX_EXCESS * bytes + INSTANCES_BYTES);
}

describe.each(WRITERS.map((format) => [format.label, format] as const))("the memory of %s", (_label, format) => {
  it.each([
    ["at quality 80", { lossless: false, quality: 80 }],
    ["without loss", { lossless: format.can.lossless, quality: 100 }],
  ])("is what is declared for writing %s", async (_name, objective) => {
    const sides = format.can.sides?.usual;
    const settings = { ...objective, progressive: false, effort: 0.5, ...(sides && { sides }) };
    const { bytes, left, result } = await held(() => write(format, settings));
    const size = { ...SIZE, opaque: true, frames: 1 };
    expectDeclared(format.write?.estimate(size, settings).bytes ?? 0, bytes + result.length, left);
  });

  it("is what is declared for reading", async () => {
    const sides = format.can.sides && [format.can.sides.most];
    const settings = { lossless: false, quality: 80, progressive: false, effort: 0.2, ...(sides && { sides }) };
    const file = await write(format, settings);
    const facts = format.read.factsOf(file);
    const demand = { box: whole(facts), width: facts.width, height: facts.height };
    const { bytes, left } = await held(async () => {
      for await (const { rows } of format.read.open(file, facts, demand, UNPAUSED)) {
        while (await rows.read(16)) continue;
      }
    });
    expectDeclared(format.read.estimate(facts, demand).bytes, bytes, left);
  });
});
