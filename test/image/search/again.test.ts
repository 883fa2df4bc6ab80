/** What was optimized before is known when it comes back, and nothing is encoded for it. */
import { afterEach, describe, expect, it, vi } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { PRESETS } from "../../../src/image/plan/output.ts";
import animation from "../../fixtures/gif/muybridge.gif";
import photograph from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";

const NAMES = ["jpeg", "png", "webp", "gif"] as const;

async function optimized(bytes: Uint8Array, optimize: object, format?: string) {
  const {
    output,
    optimize: wanted,
    ...operations
  } = parseBody(UploadBody, {
    optimize,
    ...(format && { output: { format } }),
  });
  const order = { operations, output, optimize: wanted, overlays: new Map(), accept: undefined };
  return (await rendered(bytes, order)).output;
}

/** How often a format has written a picture since. */
function countWrites(format: FormatDefinition): () => number {
  const spies: { readonly mock: { readonly calls: readonly unknown[] } }[] = [];
  if (format.write) spies.push(vi.spyOn(format.write, "encode"));
  if (format.write?.study) spies.push(vi.spyOn(format.write, "study"));
  if (format.recompress) spies.push(vi.spyOn(format.recompress, "run"));
  if (format.coefficients) spies.push(vi.spyOn(format.coefficients, "requantize"));
  return () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

afterEach(() => vi.restoreAllMocks());

const cases = [
  ...NAMES.flatMap((name) => PRESETS.map((preset) => [name, preset, "photograph", photograph] as const)),
  ...(["png", "webp", "gif"] as const).map((name) => [name, "medium", "animation", animation] as const),
];

describe("a file that was optimized before", () => {
  it.each(cases)("is known again: %s, %s, %s", async (name, preset, _kind, file) => {
    const first = await optimized(new Uint8Array(file), { compression: preset }, name);
    const writes = countWrites(FORMATS[name]);
    const second = await optimized(first.bytes, { compression: preset });
    expect(writes()).toBe(0);
    expect(second.bytes).toEqual(first.bytes);
    expect(second.score).toBe(100);
  });

  it("is left alone by presets that promise more", async () => {
    const first = await optimized(new Uint8Array(photograph), { compression: "high" }, "jpeg");
    const second = await optimized(first.bytes, { compression: "low" });
    expect(second.bytes).toEqual(first.bytes);
  });

  it("is reduced further by a preset that promises less", async () => {
    const first = await optimized(new Uint8Array(photograph), { compression: "low" }, "jpeg");
    const second = await optimized(first.bytes, { compression: "high" });
    expect(second.bytes.length).toBeLessThan(first.bytes.length * 0.8);
  });

  it.each(NAMES)("becomes no smaller without loss: %s", async (name) => {
    const first = await optimized(new Uint8Array(photograph), { lossless: true }, name);
    const second = await optimized(first.bytes, { lossless: true });
    expect(second.bytes).toEqual(first.bytes);
  });
});

describe("the mark", () => {
  it.each(NAMES)("of %s is read back and survives what strips metadata", async (name) => {
    const row: FormatDefinition = FORMATS[name];
    const { bytes } = await optimized(new Uint8Array(photograph), { quality: 50 }, name);
    expect(row.mark?.read(bytes)).toBeUndefined();
    const marked = row.mark?.write(bytes, 75) ?? bytes;
    expect(row.mark?.read(marked)).toBe(75);
    expect(row.mark?.read(row.strip?.(marked)?.file() ?? marked)).toBe(75);
    expect(row.read.factsOf(marked)).toEqual(row.read.factsOf(bytes));
    expect(marked.length - bytes.length).toBeLessThanOrEqual(28);
  });

  it.each(["jpeg", "gif"] as const)("of %s does not hold for other pixels", async (name) => {
    const row: FormatDefinition = FORMATS[name];
    const { bytes } = await optimized(new Uint8Array(photograph), {}, name);
    expect(row.mark?.read(bytes)).toBe(75);
    const changed = bytes.slice();
    changed.set([bytes[bytes.length >> 1] === 0 ? 1 : 0], bytes.length >> 1);
    expect(row.mark?.read(changed)).toBeUndefined();
    expect(row.strip?.(changed)?.length).toBeLessThan(changed.length);
  });

  it("vouches for nothing that cannot be decoded", async () => {
    const { bytes } = await optimized(new Uint8Array(photograph), {}, "png");
    const cut = bytes.subarray(0, bytes.length >> 1);
    await expect(optimized(cut, {})).rejects.toMatchObject({ status: 422 });
  });
});
