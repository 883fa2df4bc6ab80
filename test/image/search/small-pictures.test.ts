/** What a search takes of a small picture, whose stricter presets are looked at as well. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import macaw from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf } from "../../support/rows.ts";

const SIDES = [24, 48, 64, 128];
/** The quality at which the preset `low` begins to search in JPEG: no other preset begins as high. */
const STRICTER_FROM = 90;
const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };

async function smallPng(side: number): Promise<Uint8Array> {
  const resize = { width: side, height: side, mode: "fill" };
  const { output, optimize, ...operations } = parseBody(UploadBody, {
    resize,
    output: { format: "png" },
    optimize: { lossless: true },
  });
  return (await rendered(new Uint8Array(macaw), { operations, output, optimize })).output.bytes;
}

async function judgedOf(file: Uint8Array, format: string) {
  const { output, optimize } = parseBody(UploadBody, { output: { format } });
  const judged: Extract<TraceEvent, { kind: "judged" }>[] = [];
  const encoded: Extract<TraceEvent, { kind: "encoded" }>[] = [];
  const trace = (event: TraceEvent) => {
    if (event.kind === "judged") judged.push(event);
    if (event.kind === "encoded") encoded.push(event);
  };
  const result = (await rendered(file, { output, optimize, trace })).output;
  return { judged, encoded, result };
}

/** Lines of one pixel in saturated colors, which halved chroma mixes. */
async function lines(): Promise<Uint8Array> {
  const picture = paint(64, 64, (x, y) => [x % 4 === 0 ? 255 : 0, 0, x % 4 === 2 && y % 7 ? 255 : 0, 255]);
  return FORMATS.png.write.encode(pictureOf([picture]), EXACT, UNPAUSED);
}

describe("small photographs", () => {
  it("are looked at once for what a stricter preset takes, where each pixel counts", async () => {
    const { judged, result } = await judgedOf(await smallPng(24), "jpeg");
    const stricter = judged.slice(judged.findIndex(({ quality }) => quality === STRICTER_FROM));
    expect(stricter.map(({ quality }) => quality)).toEqual([STRICTER_FROM]);
    expect(result.score).toBeGreaterThanOrEqual(75);
  });

  it.each([48, 64, 128])("are not, where their own curve says that it is more, %d pixels a side", async (side) => {
    const { judged, result } = await judgedOf(await smallPng(side), "jpeg");
    expect(judged.filter(({ quality }) => quality === STRICTER_FROM)).toEqual([]);
    expect(result.score).toBeGreaterThanOrEqual(75);
  });

  it.each([48, 128])(
    "are not written without loss, which takes several times the bytes, %d pixels a side",
    async (side) => {
      const { encoded } = await judgedOf(await smallPng(side), "webp");
      expect(encoded.filter(({ settings }) => settings.lossless)).toEqual([]);
    },
  );

  it.each(SIDES)("become no larger than a rendition that was seen to do, %d pixels a side", async (side) => {
    const { judged, encoded, result } = await judgedOf(await smallPng(side), "jpeg");
    const target = side * side < 48 * 48 ? 82.5 : 75;
    const doing = encoded.filter((_, at) => (judged[at]?.points ?? 0) >= target).map(({ bytes }) => bytes);
    // A mark of 10 bytes follows.
    expect(result.bytes.length).toBeLessThanOrEqual(Math.min(...doing) + 10);
  });
});

describe("small pictures as PNG", () => {
  it.each([48, 64, 128])("are not looked at for what a stricter preset takes, %d pixels a side", async (side) => {
    const events: TraceEvent[] = [];
    const { output, optimize } = parseBody(UploadBody, { output: { format: "png" } });
    await rendered(await smallPng(side), { output, optimize, trace: (event) => void events.push(event) });
    const isFinal = (event: TraceEvent) => event.kind === "encoded" && !event.settings.probe;
    const first = events.findIndex(isFinal);
    expect(first).toBeGreaterThan(0);
    expect(events.slice(first).filter(({ kind }) => kind === "judged")).toEqual([]);
  });
});

it("has all of its chroma where drafts say that halves of it never do: lines in saturated colors as AVIF", async () => {
  const { encoded, result } = await judgedOf(await lines(), "avif");
  const halved = encoded.filter(({ settings: { subsample, draft = false } }) => subsample === "4:2:0" && !draft);
  expect(halved).toEqual([]);
  expect(result.score).toBeGreaterThanOrEqual(75);
});
