/** Results that must fit into a number of bytes. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { objectiveOf, Optimize } from "../../../src/image/plan/output.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import macaw92 from "../../fixtures/score/macaw-92.jpg";
import macaw from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";
import { scoreRows } from "../../support/scores.ts";

async function within(file: ArrayBuffer, bytes: number, format?: "jpg" | "webp" | "auto") {
  return (await fitting(file, bytes, format)).bytes;
}

async function fitting(file: ArrayBuffer, bytes: number, format?: "jpg" | "webp" | "auto") {
  const order = {
    operations: {},
    output: format && { format, encoding: "progressive" as const },
    optimize: { lossless: false, target_bytes: bytes },
    overlays: new Map<string, Uint8Array>(),
    accept: undefined,
  };
  return (await rendered(new Uint8Array(file), order)).output;
}

describe("optimize.target_bytes", () => {
  it.each([
    ["png", macaw, undefined],
    ["jpg", macaw, "jpg"],
    ["webp", macaw, "webp"],
    ["jpg as it is", macaw92, undefined],
  ] as const)("gives the largest %s that fits", async (_name, file, format) => {
    const usual = await within(file, 5_000, format);
    const tight = await within(file, 3_000, format);
    expect(usual.length).toBeLessThanOrEqual(5_000);
    expect(tight.length).toBeLessThanOrEqual(3_000);
    expect(usual.length).toBeGreaterThan(tight.length);
    // A step of quality is worth less than a third of the bytes.
    expect(tight.length).toBeGreaterThan(2_000);
  });

  it("fills the size, and says how the result looks", async () => {
    const usual = await fitting(macaw, 8_000, "jpg");
    const tight = await fitting(macaw, 4_000, "jpg");
    // Qualities of JPEG differ by less than that.
    expect(usual.bytes.length).toBeGreaterThan(8_000 * 0.97);
    expect(usual.score).toBeGreaterThan((tight.score ?? 100) + 5);
    expect(usual.score).toBeLessThan(99);
    const original = await decoded(FORMATS.png, new Uint8Array(macaw), UNPAUSED);
    const shown = await decoded(usual.format, usual.bytes, UNPAUSED);
    expect(usual.score).toBe(await scoreRows(original, shown, UNPAUSED));
  });

  it("is kept by the format that looks best of those that can keep it", async () => {
    const alone = await Promise.all(["jpg", "webp"].map((format) => fitting(macaw, 3_500, format as "jpg" | "webp")));
    const { bytes, score, format } = await fitting(macaw, 3_500, "auto");
    expect(bytes.length).toBeLessThanOrEqual(3_500);
    expect(score).toBeGreaterThanOrEqual(Math.max(...alone.map((output) => output.score ?? 0)));
    expect(format.label).not.toBe("PNG");
  });

  it.each(["jpg", "webp", "avif"] as const)("tries two files of what a %s cannot be by far", async (format) => {
    const traced: string[] = [];
    const trace = ({ kind }: TraceEvent) => void traced.push(kind);
    const optimize = { lossless: false, target_bytes: 1 };
    const refused = rendered(new Uint8Array(macaw), { output: { format, encoding: "progressive" }, optimize, trace });
    await expect(refused).rejects.toThrow(/^optimize\.target_bytes is too small for this image: the least is \d+$/);
    expect(traced.filter((kind) => kind === "encoded")).toHaveLength(2);
  });

  it("names the smallest size of all formats that were tried", async () => {
    const leastOf = async (format: "jpg" | "webp" | "auto") => {
      const refused = await within(macaw, 10, format).catch((error: unknown) => error);
      return Number(/\d+$/.exec((refused as Error).message)?.[0]);
    };
    expect(await leastOf("auto")).toBeLessThanOrEqual(Math.min(await leastOf("jpg"), await leastOf("webp")));
  });

  it("leaves alone what is small enough", async () => {
    expect([...(await within(macaw92, 10_000))]).toEqual([...new Uint8Array(macaw92)]);
  });

  it("names the smallest size there is when none fits", async () => {
    const refused = await within(macaw92, 10).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^optimize\.target_bytes is too small for this image: the least is \d+$/),
    });
    const least = Number(/\d+$/.exec((refused as Error).message)?.[0]);
    expect((await within(macaw92, least)).length).toBe(least);
  });

  it("stands alone", () => {
    expect(v.safeParse(Optimize, { target_bytes: 9, quality: 50 }).success).toBe(false);
    expect(objectiveOf(undefined, v.parse(Optimize, { target_bytes: 9 }))).toEqual({ kind: "size", bytes: 9 });
  });
});
