/** Ways to a file that take longer than a job may: left out where there are others, refused where there are none. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { readHeaders } from "../../../src/image/plan/detect.ts";
import { JobLimits } from "../../../src/scheduler/job-limits.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { pictureOf, scene } from "../../support/rows.ts";

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const file = () => FORMATS.png.write.encode(pictureOf([scene(600, 400)]), EXACT, UNPAUSED);
const as = (format: "webp" | "auto") => ({ format, encoding: "progressive" }) as const;

describe("a job that may not take long", () => {
  it("gets a file of a usual quality where there is no time to search for one", async () => {
    const jobLimits = new JobLimits();
    const searched = await rendered(await file(), { output: as("webp"), jobLimits });
    // Less than any search is estimated at, the leanest included, and more than one encoding.
    const bound = new JobLimits({ maxMs: jobLimits.takenMs / 2 });
    const blind = await rendered(await file(), { output: as("webp"), jobLimits: bound });
    expect(searched.output.score).toBeDefined();
    expect(blind.output.score).toBeUndefined();
    expect(bound.takenMs).toBeLessThan(jobLimits.takenMs / 2);
  });

  it("gets the best of the formats for which there is time", async () => {
    const jobLimits = new JobLimits({ maxMs: 250 });
    const { output } = await rendered(await file(), {
      output: as("auto"),
      optimize: { lossless: false, quality: 80 },
      jobLimits,
    });
    expect(output.format.label).not.toBe("AVIF");
    expect(jobLimits.takenMs).toBeLessThan(500);
  });

  it("is refused after a look at its headers where there is no way at all", async () => {
    const bytes = await file();
    const looked = new JobLimits();
    await readHeaders(bytes, looked);
    const jobLimits = new JobLimits({ maxMs: 2 });
    const refused = rendered(bytes, {
      output: as("webp"),
      optimize: { lossless: false, quality: 80 },
      jobLimits,
    });
    await expect(refused).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("fewer frames") as string,
    });
    expect(jobLimits.takenMs).toBe(looked.takenMs);
  });
});
