/** What a search takes of a small picture, whose stricter presets are looked at as well. */
import { describe, expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import macaw from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";

const SIDES = [24, 48, 64, 128];
/** The quality at which the preset `low` begins to search in JPEG: no other preset begins as high. */
const STRICTER_FROM = 90;

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

describe("small photographs", () => {
  it.each(SIDES)("are looked at once for what a stricter preset takes, %d pixels a side", async (side) => {
    const { judged, result } = await judgedOf(await smallPng(side), "jpeg");
    const stricter = judged.slice(judged.findIndex(({ quality }) => quality === STRICTER_FROM));
    expect(stricter.map(({ quality }) => quality)).toEqual([STRICTER_FROM]);
    expect(result.score).toBeGreaterThanOrEqual(75);
  });

  it.each(SIDES)("become no larger than a rendition that was seen to do, %d pixels a side", async (side) => {
    const { judged, encoded, result } = await judgedOf(await smallPng(side), "jpeg");
    const target = side * side < 48 * 48 ? 82.5 : 75;
    const doing = encoded.filter((_, at) => (judged[at]?.points ?? 0) >= target).map(({ bytes }) => bytes);
    // A mark of 10 bytes follows.
    expect(result.bytes.length).toBeLessThanOrEqual(Math.min(...doing) + 10);
  });
});
