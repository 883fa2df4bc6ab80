import * as v from "valibot";
import { describe, expect, it } from "vitest";

import { aimOf, Optimize } from "../../../src/image/output.ts";
import { render } from "../../../src/image/render.ts";
import macaw92 from "../../fixtures/score/macaw-92.jpg";
import macaw from "../../fixtures/score/macaw.png";

async function within(file: ArrayBuffer, bytes: number, format?: "jpg" | "webp") {
  const order = {
    operations: {},
    output: format && { format, encoding: "progressive" as const },
    optimize: { lossless: false, target_bytes: bytes },
    overlays: new Map<string, Uint8Array>(),
    accept: undefined,
  };
  const { output } = await render(new Uint8Array(file), order);
  return output.bytes;
}

describe("optimize.target_bytes", () => {
  it.each([
    ["png", macaw, undefined],
    ["jpg", macaw, "jpg"],
    ["webp", macaw, "webp"],
    ["jpg as it is", macaw92, undefined],
  ] as const)("gives the largest %s that fits", async (_name, file, format) => {
    const roomy = await within(file, 5_000, format);
    const tight = await within(file, 3_000, format);
    expect(roomy.length).toBeLessThanOrEqual(5_000);
    expect(tight.length).toBeLessThanOrEqual(3_000);
    expect(roomy.length).toBeGreaterThan(tight.length);
    // A step of quality is worth less than a third of the bytes.
    expect(tight.length).toBeGreaterThan(2_000);
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
    expect(aimOf(undefined, v.parse(Optimize, { target_bytes: 9 }))).toEqual({ kind: "size", bytes: 9 });
  });
});
