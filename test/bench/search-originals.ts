/** Pictures that the benches of the search are given: PNG files of at most 1,200 pixels on the longer side. */
import { basename, join } from "node:path";

import sharp from "sharp";

import { DRAWINGS, MIDDLES, PHOTOGRAPHS } from "./search-pictures.ts";

/** Pixels. */
const LONGER_SIDE = 1_200;
const MIDDLE = { width: 1_200, height: 900 };

/** What there is to choose from. */
export const KINDS = ["photographs", "drawings"] as const;

export type Original = readonly [label: string, open: () => Promise<Buffer>];

/** Pictures as PNG, upright and in sRGB: those that are asked for. */
export function* originalsOf(kind: (typeof KINDS)[number], folder: string): Generator<Original> {
  const only = process.env["ONLY"]?.split(" ").filter(Boolean);
  for (const original of kind === "drawings" ? drawingsIn(folder) : photographsIn(folder)) {
    if (!only || only.some((word) => original[0].includes(word))) yield original;
  }
}

/** A photograph as it is shown, in sRGB. */
export const upright = (path: string) => sharp(path).rotate().toColorspace("srgb");
const WITHIN = { width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside", withoutEnlargement: true } as const;

function drawingsIn(folder: string): Original[] {
  return DRAWINGS.map((name) => [basename(name), () => upright(join(folder, name)).resize(WITHIN).png().toBuffer()]);
}

function photographsIn(folder: string): Original[] {
  const small = (name: string) => upright(join(folder, name)).resize(WITHIN).removeAlpha().png().toBuffer();
  const middle = async (name: string) => {
    const picture = upright(join(folder, name)).removeAlpha().raw();
    const { info, data } = await picture.toBuffer({ resolveWithObject: true });
    const [left, top] = [(info.width - MIDDLE.width) >> 1, (info.height - MIDDLE.height) >> 1];
    const raw = { width: info.width, height: info.height, channels: 3 } as const;
    return sharp(data, { raw })
      .extract({ left, top, ...MIDDLE })
      .png()
      .toBuffer();
  };
  return [
    ...PHOTOGRAPHS.map((name): Original => [basename(name), () => small(name)]),
    ...MIDDLES.map((name): Original => [`middle of ${basename(name)}`, () => middle(name)]),
  ];
}
