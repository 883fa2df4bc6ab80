/** JPEG 2000 jobs that take turns make what each makes alone. */
import { describe, expect, it } from "vitest";

import { jpeg2000 } from "../../../../src/image/formats/jpeg2000.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import layers from "../../../fixtures/jpeg2000/layers.jp2";
import lossless from "../../../fixtures/jpeg2000/lossless.jp2";
import { decodeFile } from "../../../support/files.ts";
import { interleaved } from "../../../support/interleaved.ts";
import { noise, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: true, effort: 0.5 };

function encoding(pixels: Pixels, settings = SETTINGS, opaque = true) {
  return (timeSlice: TimeSlice) => jpeg2000.write.encode(pictureOf([pixels], { opaque }), settings, timeSlice);
}

function decoding(file: ArrayBuffer) {
  return async (timeSlice: TimeSlice) => (await decodeFile(jpeg2000, new Uint8Array(file), timeSlice)).data;
}

describe("JPEG 2000 jobs that take turns", () => {
  it("come to what they come to one after the other", async () => {
    const jobs = [
      encoding(scene(200, 100)),
      encoding(noise(60, 70, false), { ...SETTINGS, lossless: true }, false),
      decoding(lossless),
      decoding(layers),
    ];
    const alone: Uint8Array[] = [];
    for (const work of jobs) alone.push(await work(UNPAUSED));
    expect(await interleaved(jobs)).toEqual(alone);
    expect(await interleaved(jobs.toReversed())).toEqual(alone.toReversed());
  });

  it("end in the midst of a picture when nobody waits for them", async () => {
    const reason = new Error("nobody waits");
    let pauses = 0;
    const spend = async () => {
      await scheduler.wait(0);
      if (++pauses === 20) throw reason;
    };
    await expect(encoding(noise(300, 200))({ ...UNPAUSED, spend })).rejects.toBe(reason);
    expect(await encoding(scene(64, 64))(UNPAUSED)).toEqual(await encoding(scene(64, 64))(UNPAUSED));
  });
});
