/** Drawings that take more work than their size says: they are refused, and so is nothing else because of them. */
import { describe, expect, it, vi } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { drawingFuel } from "../../../../src/image/formats/svg/costs.ts";
import { ParsedSvg, wholeView } from "../../../../src/image/formats/svg/resvg.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { Fuel, SLICE_MS } from "../../../../wasm/fuel/fuel.ts";
import { NativeError, nativeStatistics, OutOfFuel, trimNative } from "../../../../wasm/load.ts";
import androidRobot from "../../../fixtures/svg/Android_robot.svg";
import { decodeFile } from "../../../support/files.ts";
import { rendered } from "../../../support/render.ts";
import { digest } from "../../../support/rows.ts";

const SIZE = 600;
const WHOLE = wholeView({ width: SIZE, height: SIZE });

function drawing(body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}">${body}</svg>`;
}

/** Every one of them is drawn apart over the whole picture, which its few letters do not show. */
const LAYERS = '<g opacity=".99"><rect width="600" height="600"/></g>'.repeat(2_000);
/** The renderer compares edges that cross each other. */
const STROKE = `<path fill="none" stroke="red" stroke-width="40" d="M0 0${Array.from({ length: 100_000 }, (_, at) => `L${(at * 7_919) % SIZE} ${(at * 104_729) % SIZE}`).join("")}"/>`;

const COSTLY: readonly (readonly [string, string])[] = [
  ["thousands of layers", LAYERS],
  [
    "thousands of masks of the whole picture",
    `<mask id="m"><rect width="600" height="600" fill="#888"/></mask>${'<rect width="600" height="600" mask="url(#m)"/>'.repeat(2_000)}`,
  ],
  ["a line that crosses itself", STROKE],
];

/** A time slice that notes what is declared. */
function noted(): TimeSlice & { declared: number[] } {
  const declared: number[] = [];
  return {
    declared,
    worked: () => 0,
    spend(ms) {
      declared.push(ms);
      return undefined;
    },
  };
}

async function robot(): Promise<string> {
  const means = { timeSlice: UNPAUSED, fuel: new Fuel(2_000) };
  const document = new ParsedSvg(new TextDecoder().decode(androidRobot), means, wholeView({ width: 294, height: 345 }));
  try {
    return await digest(await document.draw(0, 345));
  } finally {
    document.close();
  }
}

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join("");

/** Small shapes, each with a mask, a path that cuts off or a pattern of many shapes of its own. */
const SMALL: readonly (readonly [string, string])[] = [
  [
    "masks",
    `<mask id="m">${times(50, (at) => `<rect x="${at * 12}" width="12" height="600" fill="#888"/>`)}</mask>${times(2_000, (at) => `<rect mask="url(#m)" x="${at % 580}" y="${(at * 7) % 580}" width="20" height="20"/>`)}`,
  ],
  [
    "paths that cut off",
    `<clipPath id="m">${times(50, (at) => `<rect x="${at * 12}" width="11" height="600"/>`)}</clipPath>${times(2_000, (at) => `<rect clip-path="url(#m)" x="${at % 580}" y="${(at * 7) % 580}" width="20" height="20"/>`)}`,
  ],
  [
    "patterns",
    `<pattern id="m" width="20" height="20" patternUnits="userSpaceOnUse">${times(50, (at) => `<rect x="${at % 20}" width="1" height="20" fill="#888"/>`)}</pattern>${times(500, (at) => `<rect fill="url(#m)" x="${at % 580}" y="${(at * 7) % 580}" width="20" height="20"/>`)}`,
  ],
];

describe("a drawing of small shapes", () => {
  it.each(SMALL)("is drawn with thousands of %s", async (_name, body) => {
    const timeSlice = noted();
    await decodeFile(svg, new TextEncoder().encode(drawing(body)), timeSlice);
    expect(timeSlice.declared.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(2_000);
  });
});

describe("a drawing that takes too long", () => {
  it("may take no more than four seconds, whatever its estimate", () => {
    const bytes = new TextEncoder().encode(drawing(times(30_000, (at) => `<path d="M${at % 600} 0l9 9h9z"/>`)));
    const facts = svg.read.factsOf(bytes);
    expect(drawingFuel(facts, { width: 4_000, height: 4_000 }).leftMs).toBe(4_000);
  });

  it.each(COSTLY)("is refused: %s", async (_name, body) => {
    await expect(decodeFile(svg, new TextEncoder().encode(drawing(body)))).rejects.toMatchObject({
      status: 422,
      message: "The image takes too long to be decoded or drawn",
    });
  });

  it("is not drawn again for each way in which a result could be written", async () => {
    const open = vi.spyOn(svg.read, "open");
    const bytes = new TextEncoder().encode(drawing(LAYERS));
    for (const format of ["png", "auto"] as const) {
      open.mockClear();
      await expect(rendered(bytes, { output: { format } })).rejects.toMatchObject({ status: 422 });
      const areas = open.mock.calls.map(([, , { width, height }]) => width * height);
      // A smaller version may be looked at first, and is not what was given up.
      expect(areas.filter((area) => area >= SIZE * SIZE)).toHaveLength(1);
    }
    open.mockRestore();
  });

  it("ends once its fuel is used up, and the next is drawn as ever", async () => {
    const before = await robot();
    const fuel = new Fuel(100);
    const document = new ParsedSvg(drawing(LAYERS), { timeSlice: UNPAUSED, fuel }, WHOLE);
    await expect(document.draw(0, SIZE)).rejects.toBeInstanceOf(OutOfFuel);
    document.close();
    // Between two looks at the counter no more is done than one operator that moves memory may do.
    expect(fuel.leftMs).toBeLessThanOrEqual(0);
    expect(fuel.leftMs).toBeGreaterThan(-1);
    expect(await robot()).toBe(before);
  });

  it("says what it does slice by slice, and as much as it uses", async () => {
    const timeSlice = noted();
    const fuel = new Fuel(100);
    const document = new ParsedSvg(drawing(LAYERS), { timeSlice, fuel }, WHOLE);
    await expect(document.draw(0, SIZE)).rejects.toBeInstanceOf(OutOfFuel);
    document.close();
    expect(Math.max(...timeSlice.declared)).toBeLessThan(SLICE_MS + 1);
    const declared = timeSlice.declared.reduce((sum, ms) => sum + ms, 0);
    expect(declared).toBeGreaterThan(100 - 2 * SLICE_MS);
  });

  it("ends within a slice when nobody waits any more", async () => {
    let slices = 0;
    const spend = () => (++slices === 3 ? Promise.reject(new Error("nobody waits")) : undefined);
    const fuel = new Fuel(2_000);
    const document = new ParsedSvg(drawing(LAYERS), { timeSlice: { worked: () => 0, spend }, fuel }, WHOLE);
    await expect(document.draw(0, SIZE)).rejects.toThrow("nobody waits");
    document.close();
    expect(slices).toBe(3);
    expect(fuel.leftMs).toBeGreaterThan(2_000 - 4 * SLICE_MS);
    trimNative(0);
    expect(nativeStatistics().find(({ name }) => name === "resvg")?.memoryBytes).toBe(0);
  });

  it("is refused when it needs more memory than the renderer may have", async () => {
    const means = { timeSlice: UNPAUSED, fuel: new Fuel(9_000) };
    // A picture of 100 MiB.
    const large = wholeView({ width: 6_400, height: 4_096 });
    const document = new ParsedSvg(drawing('<rect width="9" height="9"/>'), means, large);
    await expect(document.draw(0, 4_096)).rejects.toBeInstanceOf(NativeError);
    document.close();
  });
});
