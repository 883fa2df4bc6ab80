/** AVIF jobs that take turns make what each makes alone. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import { type TimeSlice, Thread, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import turnedAlpha from "../../../fixtures/avif/abc_color_irot_alpha_irot.avif";
import lossless from "../../../fixtures/avif/lossless.avif";
import { decodeFile } from "../../../support/files.ts";
import { interleaved } from "../../../support/interleaved.ts";
import { noise, pictureOf, type Pixels, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: false, effort: 0.5 };

function encoding(pixels: Pixels, settings = SETTINGS, opaque = true) {
  return (timeSlice: TimeSlice) => avif.write.encode(pictureOf([pixels], { opaque }), settings, timeSlice);
}

function decoding(file: ArrayBuffer) {
  return async (timeSlice: TimeSlice) => (await decodeFile(avif, new Uint8Array(file), timeSlice)).data;
}

describe("AVIF jobs that take turns", () => {
  it("come to what they come to one after the other", async () => {
    const jobs = [
      encoding(scene(150, 90)),
      encoding(noise(40, 30, false), { ...SETTINGS, lossless: true }, false),
      decoding(lossless),
      decoding(turnedAlpha),
    ];
    const alone: Uint8Array[] = [];
    for (const work of jobs) alone.push(await work(UNPAUSED));
    expect(await interleaved(jobs)).toEqual(alone);
    expect(await interleaved(jobs.toReversed())).toEqual(alone.toReversed());
  });

  it("declare what they are estimated at", async () => {
    let declared = 0;
    const counting = { ...UNPAUSED, spend: (ms: number) => void (declared += ms) };
    const pixels = scene(256, 256);
    await encoding(pixels)(counting);
    const { ms } = avif.write.estimate({ ...pixels, opaque: true, frames: 1 }, SETTINGS);
    expect(declared / ms).toBeGreaterThan(0.8);
    expect(declared / ms).toBeLessThan(1.25);
  });

  it("declare about what animations are estimated at, in many parts", async () => {
    const parts: number[] = [];
    const counting = { ...UNPAUSED, spend: (ms: number) => void parts.push(ms) };
    const picture = pictureOf([noise(128, 96), noise(128, 96), noise(128, 96), noise(128, 96)]);
    await avif.write.encode(picture, SETTINGS, counting);
    const declared = parts.reduce((sum, ms) => sum + ms, 0);
    const { ms } = avif.write.estimate(picture, SETTINGS);
    expect(declared / ms).toBeGreaterThan(0.5);
    expect(declared / ms).toBeLessThan(2);
    expect(Math.max(...parts)).toBeLessThan(60);
  });

  it("end in the midst of a picture when nobody waits for them, and leave others alone", async () => {
    const aborting = new AbortController();
    let looks = 0;
    const thread = new Thread(
      () => (looks += 1_000),
      () => scheduler.wait(0),
    );
    const reason = new Error("nobody waits");
    const other = thread.run(encoding(scene(200, 150)));
    const aborted = thread.run((timeSlice) => {
      let pauses = 0;
      const spend = (ms: number) => {
        if (++pauses === 5) aborting.abort(reason);
        return timeSlice.spend(ms);
      };
      return encoding(noise(300, 200))({ ...timeSlice, spend });
    }, aborting.signal);
    await expect(aborted).rejects.toBe(reason);
    expect(await other).toEqual(await encoding(scene(200, 150))(UNPAUSED));
    expect(await encoding(noise(130, 140))(UNPAUSED)).toEqual(await encoding(noise(130, 140))(UNPAUSED));
  });
});
