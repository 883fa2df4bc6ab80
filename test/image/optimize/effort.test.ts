/** Efforts: each keeps the promise of a preset, and more of them come closer to it. */
import { expect, it } from "vitest";

import photograph from "../../fixtures/score/macaw.png";
import { rendered } from "../../support/render.ts";

it.each(["jpeg", "webp", "png"] as const)(
  "every effort keeps the promise, and the most takes the fewest bytes: %s",
  async (format) => {
    const made = { fast: 0, balanced: 0, best: 0 };
    for (const effort of ["fast", "balanced", "best"] as const) {
      const output = { format, encoding: "progressive" } as const;
      const optimize = { compression: "high", lossless: false, effort } as const;
      const result = await rendered(new Uint8Array(photograph), { output, optimize });
      expect(result.output.score).toBeGreaterThanOrEqual(65);
      made[effort] = result.output.bytes.length;
    }
    expect(made.best).toBeLessThanOrEqual(made.balanced);
    expect(made.balanced).toBeLessThanOrEqual(made.fast * 1.02);
  },
);
