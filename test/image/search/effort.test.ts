/** Efforts: each keeps the promise of a preset, and more of them come closer to it. Drafts say where a search begins. */
import { afterEach, expect, it, vi } from "vitest";

import { FORMATS as ALL } from "../../../src/image/formats.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import photograph from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const FORMATS = ["jpeg", "webp", "png"] as const;
/** Bytes of files whose scores are alike differ by less than this part. */
const ALIKE = 0.02;

afterEach(() => vi.restoreAllMocks());

it.each(FORMATS)(
  "every effort keeps the promise, and the most takes no more bytes than the usual: %s",
  async (format) => {
    const bytes = { fast: 0, balanced: 0, best: 0 };
    for (const effort of ["fast", "balanced", "best"] as const) {
      const output = { format, encoding: "progressive" } as const;
      const optimize = { compression: "high", lossless: false, effort } as const;
      const result = await rendered(new Uint8Array(photograph), { output, optimize });
      expect(result.output.score).toBeGreaterThanOrEqual(65);
      bytes[effort] = result.output.bytes.length;
    }
    expect(bytes.best).toBeLessThanOrEqual(bytes.balanced * (1 + ALIKE));
  },
);

it("begins with drafts where a format makes them", async () => {
  // So many pixels that no stricter preset is searched for besides.
  const file = await ALL.png.write.encode(pictureOf([scene(240, 160)]), EXACT, UNPAUSED);
  const encode = vi.spyOn(ALL.avif.write, "encode");
  const result = await rendered(file, {
    output: { format: "avif" },
    optimize: { compression: "high", lossless: false },
  });
  const made = encode.mock.calls.map(([, { draft = false, quality }]) => ({ draft, quality }));
  const drafts = made.filter(({ draft }) => draft);
  expect(drafts.length).toBeGreaterThan(0);
  expect(drafts.length).toBeLessThanOrEqual(2);
  expect(made.slice(0, drafts.length)).toEqual(drafts);
  expect(made.length).toBeGreaterThan(drafts.length);
  expect(result.output.score).toBeGreaterThanOrEqual(65);
});
