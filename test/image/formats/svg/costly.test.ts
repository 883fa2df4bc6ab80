/** Drawings made to take long, by a generator: each is drawn or refused, and takes no more than it is given. */
import { expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { svg } from "../../../../src/image/formats/svg.ts";
import { drawingFuel } from "../../../../src/image/formats/svg/costs.ts";
import { SLICE_MS } from "../../../../wasm/fuel/fuel.ts";
import { nativeStatistics } from "../../../../wasm/load.ts";
import { costlySvg, FAMILIES, seeded } from "../../../support/costly-svg.ts";
import { decodeFile } from "../../../support/files.ts";

const MAX_MEMORY_BYTES = 96 << 20;
/** Each family by itself, and some of them in each other. */
const DRAWINGS = Object.keys(FAMILIES).length + 4;
/** Drawn small, they all say what they should, and sooner; the fuzzer draws them larger. */
const WIDTH = 80;

const random = seeded(7);
const drawings = Array.from({ length: DRAWINGS }, (_, turn) => costlySvg(random, turn, WIDTH));

it.each(drawings)("draws or refuses $name, and takes no more than it may", async ({ text }) => {
  const bytes = new TextEncoder().encode(text);
  let used = 0;
  const spend = (ms: number) => void (used += ms);
  try {
    const facts = svg.read.factsOf(bytes);
    await decodeFile(svg, bytes, { spend, worked: () => 0 });
    expect(used).toBeLessThan(drawingFuel(facts, facts).leftMs + SLICE_MS);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 422 });
  }
  const { memoryBytes = 0 } = nativeStatistics().find(({ name }) => name === "resvg") ?? {};
  expect(memoryBytes).toBeLessThanOrEqual(2 * MAX_MEMORY_BYTES);
});
