/** What results are made from where the decoder of the original leaves little room beside it. */
import { describe, expect, it } from "vitest";

import { jxl } from "../../../src/image/formats/jxl.ts";
import { png } from "../../../src/image/formats/png.ts";
import type { TraceEvent } from "../../../src/image/search/trace.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import wide16 from "../../fixtures/jxl/wide-alpha-16.jxl";
import wide from "../../fixtures/jxl/wide-alpha.jxl";
import { decodeFile } from "../../support/files.ts";
import { rendered } from "../../support/render.ts";

/** Colors and alpha in two codings: decoding them holds 80 MiB, 1,600 × 1,000 pixels themselves 6. */
const file = new Uint8Array(wide);

describe("a picture whose decoder leaves no room for an encoder", () => {
  it("is written without loss", async () => {
    const { output } = await rendered(file, { output: { format: "png" }, optimize: { lossless: true } });
    const [made, shown] = [await decodeFile(png, output.bytes), await decodeFile(jxl, file)];
    expect(made).toEqual(shown);
  });

  it("is searched through", async () => {
    const { output } = await rendered(file, { output: { format: "webp" } });
    expect(output.facts).toMatchObject({ width: 1_600, height: 1_000, alpha: true });
    expect(output.score).toBeGreaterThanOrEqual(75);
    expect(isolateBudget.held).toMatchObject({ work: 0 });
  });

  it("is searched through beside nothing but its pixels", async () => {
    const events: TraceEvent[] = [];
    const { output } = await rendered(file, { output: { format: "jpeg" }, trace: (event) => void events.push(event) });
    const attempts = events.filter((event) => event.kind === "attempt");
    expect(attempts.map(({ name }) => name)).toEqual(["search pixels"]);
    expect(attempts[0]?.estimate.bytes).toBeLessThan(16 << 20);
    expect(output.score).toBeGreaterThanOrEqual(75);
  });

  it.each(["avif", "webp", "jpeg"])("is searched through where it has 16 bits: %s", async (format) => {
    const { output } = await rendered(new Uint8Array(wide16), { output: { format } });
    expect(output.facts).toMatchObject({ width: 1_386, height: 924 });
    expect(output.score).toBeGreaterThanOrEqual(75);
  });

  it("keeps its 16 bits where a file can have them", async () => {
    const { output } = await rendered(new Uint8Array(wide16), {
      output: { format: "png" },
      optimize: { lossless: true },
    });
    expect(output.facts.bits).toBe(16);
  });

  it("stays as it is where nothing changes", async () => {
    const { output } = await rendered(file);
    expect(output.bytes).toEqual(file);
  });
});
