/** AVIF pictures in layers: which of them an item shows. */
import { describe, expect, it } from "vitest";

import { avif } from "../../../../src/image/formats/avif.ts";
import unknownProperty from "../../../fixtures/avif/broken/avif-essential-unknown.avif";
import operatingPoint from "../../../fixtures/avif/layers-operating-point.avif";
import selectedLast from "../../../fixtures/avif/layers-selected-last.avif";
import selected from "../../../fixtures/avif/layers-selected.avif";
import layers from "../../../fixtures/avif/layers.avif";
import { beginnings, decodeFile, outcomeOf } from "../../../support/files.ts";
import { refusal } from "../../../support/refusal.ts";
import { rendered } from "../../../support/render.ts";
import type { Pixels } from "../../../support/rows.ts";

const decoded = (file: ArrayBuffer) => decodeFile(avif, new Uint8Array(file));

/** A picture at half its size, each pixel the mean of four. */
function halved({ width, height, data }: Pixels): Uint8Array {
  const half = new Uint8Array(data.length / 4);
  for (let y = 0; y < height / 2; y++) {
    for (let at = 0; at < width * 2; at++) {
      const [x, channel] = [at >> 2, at & 3];
      const from = (2 * y * width + 2 * x) * 4 + channel;
      const sum = [0, 4, width * 4, width * 4 + 4].reduce((total, offset) => total + (data[from + offset] ?? 0), 0);
      half[y * width * 2 + at] = Math.round(sum / 4);
    }
  }
  return half;
}

describe("an AVIF picture in two layers", () => {
  it("is the last one where nothing else is said, or it is named", async () => {
    const pixels = await decoded(layers);
    expect([pixels.width, pixels.height]).toEqual([64, 48]);
    expect(await decoded(selectedLast)).toEqual(pixels);
  });

  it("is the smaller one by `lsel`, or by an operating point that has no other", async () => {
    const [whole, small] = [halved(await decoded(layers)), await decoded(selected)];
    expect([small.width, small.height]).toEqual([32, 24]);
    expect(await decoded(operatingPoint)).toEqual(small);
    const mean = small.data.reduce((sum, level, at) => sum + Math.abs(level - (whole[at] ?? 0)), 0) / small.data.length;
    expect(mean).toBeLessThan(6);
  });

  it.each([
    ["a layer that is not there", selected, "lsel", [0, 3]],
    ["an operating point that is not there", operatingPoint, "a1op", [2]],
    ["a size that no layer has", selected, "ispe", [0, 0, 0, 0, 0, 0, 0, 31]],
    ["more than the sequence allows", selected, "ispe", [0, 0, 0, 0, 0, 0, 1, 0]],
  ])("is refused with %s", async (_name, file, type, values) => {
    const bytes = new Uint8Array(file.slice(0));
    const at = new TextDecoder("latin1").decode(bytes).indexOf(type);
    bytes.set(values, at + 4);
    expect(await outcomeOf(avif, bytes)).toBe(422);
  });

  it("is refused wherever it ends", async () => {
    for (const part of beginnings(new Uint8Array(selected), 30)) expect(await outcomeOf(avif, part)).toBe(422);
  });
});

it("a property that a reader has to understand is named where this one does not", async () => {
  expect(await refusal(rendered(new Uint8Array(unknownProperty)))).toEqual({
    status: 422,
    message: "The image cannot be read: it has the essential property `zzzz`",
  });
});
