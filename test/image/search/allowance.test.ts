/** Ways to a file that take longer than a job may: left out where there are others, refused where there are none. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { readHeaders } from "../../../src/image/plan/detect.ts";
import { Allowance } from "../../../src/scheduler/job-limits.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const file = () => FORMATS.png.write.encode(pictureOf([scene(600, 400)]), EXACT, UNPAUSED);
const as = (format: "webp" | "auto") => ({ format, encoding: "progressive" }) as const;

describe("a job that may not take long", () => {
  it("gets a file of a usual quality where there is no time to search for one", async () => {
    const allowance = new Allowance();
    const searched = await rendered(await file(), { output: as("webp"), allowance });
    // Less than any search is estimated at, the leanest included, and more than one encoding.
    const bound = new Allowance({ maxMs: allowance.takenMs / 2 });
    const blind = await rendered(await file(), { output: as("webp"), allowance: bound });
    expect(searched.output.score).toBeDefined();
    expect(blind.output.score).toBeUndefined();
    expect(bound.takenMs).toBeLessThan(allowance.takenMs / 2);
  });

  it("gets the best of the formats for which there is time", async () => {
    const allowance = new Allowance({ maxMs: 250 });
    const { output } = await rendered(await file(), {
      output: as("auto"),
      optimize: { lossless: false, quality: 80 },
      allowance,
    });
    expect(output.format.label).not.toBe("AVIF");
    expect(allowance.takenMs).toBeLessThan(500);
  });

  it("is refused after a look at its headers where there is no way at all", async () => {
    const bytes = await file();
    const looked = new Allowance();
    await readHeaders(bytes, looked);
    const allowance = new Allowance({ maxMs: 2 });
    const refused = rendered(bytes, {
      output: as("webp"),
      optimize: { lossless: false, quality: 80 },
      allowance,
    });
    await expect(refused).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("fewer frames") as string,
    });
    expect(allowance.takenMs).toBe(looked.takenMs);
  });
});
