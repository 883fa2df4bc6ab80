/** Inks with alpha: through their profile, and without one. */
import { describe, expect, it } from "vitest";

import { jxl } from "../../../../src/image/formats/jxl.ts";
import { tiff } from "../../../../src/image/formats/tiff.ts";
import inksJxl from "../../../fixtures/jxl/inks.jxl";
import { decodeFile } from "../../../support/files.ts";
import { EXTRA, kind, made, PLANAR, type Tag } from "../../../support/tiff-files.ts";

const PROFILE = 34_675;
const UNDEFINED = 7;
const INKS = [0, 255, 51, 51];
const NAIVE = [204, 0, 163];

/** One pixel of inks. */
const pixel = (samples: readonly number[], ...tags: Tag[]) => {
  const inks = kind(
    Array.from(samples, () => 8),
    5,
    ...tags,
  );
  return made(1, 1, inks, tags.some(([tag]) => tag === PLANAR) ? samples.map((sample) => [sample]) : [samples]);
};

/** A file that has a tag for a profile, with one that lies at its end. */
function profiled(file: Uint8Array): Uint8Array {
  const profile = jxl.read.factsOf(new Uint8Array(inksJxl)).profile ?? new Uint8Array();
  const bytes = new Uint8Array(file.length + profile.length);
  bytes.set(file);
  bytes.set(profile, file.length);
  const view = new DataView(bytes.buffer);
  const directory = view.getUint32(4, true);
  for (let at = directory + 2; at < directory + 2 + view.getUint16(directory, true) * 12; at += 12) {
    if (view.getUint16(at, true) !== PROFILE) continue;
    view.setUint16(at + 2, UNDEFINED, true);
    view.setUint32(at + 4, profile.length, true);
    view.setUint32(at + 8, file.length, true);
  }
  return bytes;
}

const colorOf = async (bytes: Uint8Array) => [...(await decodeFile(tiff, bytes)).data];

describe("inks of a TIFF file", () => {
  it.each([
    ["alpha", pixel([...INKS, 100], [EXTRA, 2])],
    ["alpha in a plane", pixel([...INKS, 100], [EXTRA, 2], [PLANAR, 2])],
    ["alpha that they were multiplied by", pixel([0, 100, 20, 20, 100], [EXTRA, 1])],
  ])("have %s", async (_name, bytes) => {
    expect(await colorOf(bytes)).toEqual([...NAIVE, 100]);
  });

  it.each([
    ["alpha", pixel([...INKS, 100], [EXTRA, 2], [PROFILE, 0])],
    ["alpha in a plane", pixel([...INKS, 100], [EXTRA, 2], [PLANAR, 2], [PROFILE, 0])],
    ["alpha that they were multiplied by", pixel([0, 100, 20, 20, 100], [EXTRA, 1], [PROFILE, 0])],
  ])("go through their profile beside %s", async (_name, bytes) => {
    const opaque = await colorOf(profiled(pixel(INKS, [PROFILE, 0])));
    expect(opaque.slice(0, 3)).not.toEqual(NAIVE);
    expect(await colorOf(profiled(bytes))).toEqual([...opaque.slice(0, 3), 100]);
  });
});
