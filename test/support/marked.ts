/** A photograph on which words are written, in which a face is covered, and whose colors are those of wide screens. */
import { expect } from "vitest";

import { displayP3 } from "../../src/image/color/space.ts";
import { identify } from "../../src/image/plan/detect.ts";
import photoFile from "../fixtures/faces/one.jpg";
import { decodeFile } from "./files.ts";
import { pixel } from "./operations.ts";

export const PHOTO = photoFile;

/** What is asked for; a lossless file shows whether it was done. */
export const MARKS = {
  redact: { faces: "fill", color: "808080" },
  text: { value: " ", size: 20, background: "404040", x: 0, y: 0 },
  output: { format: "png", profile: "p3" },
  optimize: { lossless: true },
};

/** A file is the photograph with all that MARKS asks for. */
export async function expectMarked(file: Uint8Array): Promise<void> {
  const { format, facts } = identify(file);
  expect(format.label).toBe("PNG");
  expect(facts.profile).toEqual(displayP3().profile);
  const pixels = await decodeFile(format, file);
  const isNear = (x: number, y: number, color: readonly number[]) =>
    color.every((level, channel) => Math.abs(level - (pixel(pixels, x, y)[channel] ?? 0)) <= 3);
  // The middle of the face, where the words begin, and a place that has neither.
  expect([isNear(100, 70, [128, 128, 128]), isNear(3, 3, [64, 64, 64])]).toEqual([true, true]);
  const original = await decodeFile(identify(new Uint8Array(PHOTO)).format, new Uint8Array(PHOTO));
  const corner = [original.width - 1, original.height - 1] as const;
  expect(isNear(...corner, pixel(original, ...corner))).toBe(true);
}
