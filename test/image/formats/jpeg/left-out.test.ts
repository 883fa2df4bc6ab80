/** JPEG files that leave the scans of a component out. */
import { expect, it } from "vitest";

import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { encode } from "../../../support/jpeg-pixels.ts";
import { noise } from "../../../support/rows.ts";

const START_OF_SCAN = 0xda;

/** Where the first marker lies after `from`, restarts and stuffed zeros left out. */
function markerAfter(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] === 0xff && marker !== 0 && (marker < 0xd0 || marker > 0xd7)) return at;
  }
  return bytes.length;
}

/** A file without the scans that are about one component alone. */
function withoutScansOf(component: number, bytes: Uint8Array): Uint8Array {
  const kept: number[] = [...bytes.subarray(0, 2)];
  for (let at = 2; at < bytes.length;) {
    const isScan = bytes[at + 1] === START_OF_SCAN;
    const head = at + 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
    const next = isScan ? markerAfter(bytes, head) : Math.min(head, bytes.length);
    if (!isScan || bytes[at + 5] !== component) kept.push(...bytes.subarray(at, next));
    at = next;
  }
  return Uint8Array.from(kept);
}

it.each([1, 2, 3])("are refused where they would be written anew without component %i", async (component) => {
  const whole = encode(noise(101, 85), { progressive: true });
  const bytes = withoutScansOf(component, whole);
  expect(bytes.length).toBeLessThan(whole.length);
  const facts = jpeg.read.factsOf(bytes);
  const refused = { status: 422 };
  for (const progressive of [true, false]) {
    await expect(jpeg.recompress.run(bytes, facts, { progressive }, UNPAUSED)).rejects.toMatchObject(refused);
    const settings = { progressive, quality: 60 };
    await expect(jpeg.coefficients.requantize(bytes, facts, settings, UNPAUSED)).rejects.toMatchObject(refused);
  }
});
