/** A small bucket of real pictures that is interrupted in every way; `npm run bench -- bucket` has the large one. */
import { join } from "node:path";

import { expect, it } from "vitest";

import { interruptedBucket } from "../support/interrupted-bucket.ts";

const SAMPLE = join(import.meta.dirname, "..", "..", "src", "playground", "sample.jpg");

it("has every picture once, whoever was killed, paused, slow or at work meanwhile", async () => {
  const report = await interruptedBucket({ objects: 60, pictures: [SAMPLE] }, () => undefined);
  expect(report.wrong).toEqual([]);
  expect(report.batch.counts).toMatchObject({ found: 60, others: 3, failed: 1 });
  expect(report.results).toBeGreaterThan(20);
});
