/** What is drawn on a picture, and how requests say it. */
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "..", "..", "src", "playground");

interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Regions {
  readonly movedBy: (region: Region, across: number, down: number) => Region;
  readonly resizedBy: (
    region: Region,
    corner: string,
    by: { across: number; down: number; shape?: number | undefined },
  ) => Region;
  readonly largestOf: (shape: number, focus?: { x: number; y: number }) => Region;
}

interface Tool {
  readonly id: string;
  readonly read: (body: object, size: Size) => Region;
  readonly write: (body: object, region: Region, size: Size) => object;
  readonly remove: (body: object) => object;
}

const { movedBy, resizedBy, largestOf }: Regions = await import(join(FOLDER, "regions.js"));
const { TOOLS }: { readonly TOOLS: readonly Tool[] } = await import(join(FOLDER, "editor-tools.js"));
const tool = (id: string) => TOOLS.find((one) => one.id === id) ?? expect.fail();

const SIZE = { width: 1000, height: 500 };
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step = fc.double({ min: -2, max: 2, noNaN: true });
const region = fc
  .tuple(share, share, share, share)
  .map(([x, y, across, down]) => ({ x: x * 0.9, y: y * 0.9, width: 0.02 + across * 0.08, height: 0.02 + down * 0.08 }));
const corner = fc.constantFrom("top-left", "top-right", "bottom-left", "bottom-right");

function isInside({ x, y, width, height }: Region): boolean {
  const slack = 1e-9;
  return x >= -slack && y >= -slack && x + width <= 1 + slack && y + height <= 1 + slack && width > 0 && height > 0;
}

describe("a region", () => {
  it("stays on the picture, wherever it is moved and however it is resized", () => {
    fc.assert(
      fc.property(
        region,
        corner,
        step,
        step,
        fc.option(share.map((one) => one + 0.2)),
        (at, held, across, down, shape) => {
          expect(isInside(movedBy(at, across, down))).toBe(true);
          expect(isInside(resizedBy(at, held, { across, down, shape: shape ?? undefined }))).toBe(true);
        },
      ),
    );
  });

  it("keeps its size when it is moved, the corner across when it is resized, and its shape where that is to be kept", () => {
    const at = { x: 0.2, y: 0.2, width: 0.4, height: 0.2 };
    expect(movedBy(at, 0.9, -0.1)).toEqual({ x: 0.6, y: 0.1, width: 0.4, height: 0.2 });
    const larger = resizedBy(at, "top-left", { across: -0.1, down: -0.1 });
    expect(larger.x + larger.width).toBeCloseTo(0.6);
    expect(larger.y + larger.height).toBeCloseTo(0.4);
    expect(larger.width).toBeCloseTo(0.5);
    const shaped = resizedBy(at, "bottom-right", { across: 0.2, down: 0, shape: 2 });
    expect(shaped).toMatchObject({ x: 0.2, y: 0.2 });
    expect(shaped.width / shaped.height).toBeCloseTo(2);
  });

  it("is the largest of a shape, around a point as far as the picture reaches", () => {
    expect(largestOf(2)).toEqual({ x: 0, y: 0.25, width: 1, height: 0.5 });
    expect(largestOf(0.5, { x: 1, y: 0 })).toEqual({ x: 0.5, y: 0, width: 0.5, height: 1 });
  });
});

describe("a tool", () => {
  it("says a cut in pixels of the picture, and finds it again", () => {
    const body = tool("crop").write({ text: { value: "A" } }, { x: 0.1, y: 0.2, width: 0.5, height: 0.5 }, SIZE);
    expect(body).toEqual({ text: { value: "A" }, crop: { x: 100, y: 100, width: 500, height: 250 } });
    expect(tool("crop").read(body, SIZE)).toEqual({ x: 0.1, y: 0.2, width: 0.5, height: 0.5 });
    expect(tool("crop").remove(body)).toEqual({ text: { value: "A" } });
  });

  it("moves the largest cut of a shape by its focus", () => {
    const crop = { mode: "ratio", ratio: "1:1" };
    const at = tool("crop").read({ crop }, SIZE);
    expect(at).toEqual({ x: 0.25, y: 0, width: 0.5, height: 1 });
    expect(tool("crop").write({ crop }, { ...at, x: 0 }, SIZE)).toEqual({
      crop: { ...crop, focus: { x: 0.25, y: 0.5 } },
    });
  });

  it.each([
    [{}, { crop: { mode: "ratio", ratio: "1:1", focus: { x: 0.3, y: 0.4 } } }],
    [
      { resize: { width: 10, height: 10, gravity: "face" } },
      { resize: { width: 10, height: 10, mode: "fit", focus: { x: 0.3, y: 0.4 } } },
    ],
    [
      { crop: { width: 10, height: 10, gravity: "top" } },
      { crop: { width: 10, height: 10, focus: { x: 0.3, y: 0.4 } } },
    ],
  ])("says a focus where something is cut by it: %o", (body, said) => {
    expect(tool("focus").write(body, { x: 0.3, y: 0.4, width: 0, height: 0 }, SIZE)).toEqual(said);
  });

  it("puts words where they are drawn, instead of where a gravity pulls them", () => {
    const body = { text: { value: "Words", gravity: "bottom-right", padding: 10, color: "f00" } };
    const at = tool("text").read(body, SIZE);
    expect(at.x + at.width).toBeCloseTo(0.99);
    expect(at.y + at.height).toBeCloseTo(0.98);
    expect(tool("text").write(body, { ...at, x: 0.5, y: 0.5 }, SIZE)).toEqual({
      text: { value: "Words", color: "f00", x: 500, y: 250 },
    });
  });
});
