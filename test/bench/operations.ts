/**
 * Every operation on 12 megapixels, beside sharp where it has the same: `npm run bench -- operations`. Processor time
 * of all threads; pixels to pixels, without any format. `ONLY="median zoom"` chooses lines that contain one of the words.
 */
import sharp, { type Sharp } from "sharp";

import type { OperationName } from "../../src/image/operations.ts";
import { applied } from "../support/operations.ts";
import { type Pixels, scene } from "../support/rows.ts";
import { median } from "./harness.ts";
import { ramp } from "./ramp.ts";

const SIZE = { width: 4_000, height: 3_000 };
const ROUNDS = 5;
/** A watermark. */
export const MARK = ramp(512);

type Other = (picture: Sharp) => Sharp;
type Line = readonly [operation: OperationName, params: object, other?: Other];

const filter = (params: object, other?: Other): Line => (other ? ["filter", params, other] : ["filter", params]);

/** What sharp has that is the same, or the nearest. */
export const LINES: readonly Line[] = [
  ["flip", { mode: "horizontal" }, (picture) => picture.flop()],
  ["flip", { mode: "vertical" }, (picture) => picture.flip()],
  ["rotate", { angle: 90 }, (picture) => picture.rotate(90)],
  ["rotate", { angle: 7 }, (picture) => picture.rotate(7)],
  ["rotate", { angle: 45 }, (picture) => picture.rotate(45)],
  [
    "crop",
    { width: 2_000, height: 1_500 },
    (picture) => picture.extract({ left: 1_000, top: 750, width: 2_000, height: 1_500 }),
  ],
  ["resize", { width: 1_200 }, (picture) => picture.resize({ width: 1_200 })],
  ["resize", { width: 900, height: 900, mode: "fit" }, (picture) => picture.resize({ width: 900, height: 900 })],
  ["scale", { size: 1.5 }, (picture) => picture.resize({ width: 6_000 })],
  ["auto", { enhance: true }, (picture) => picture.normalise()],
  ["auto", { redeye: true }],
  ["adjust", { brightness: 20, contrast: 30 }, (picture) => picture.linear(1.4, -20)],
  ["adjust", { gamma: 20 }, (picture) => picture.gamma(1.2)],
  ["adjust", { saturation: 30, hue: 40 }, (picture) => picture.modulate({ saturation: 1.3, hue: 40 })],
  ["adjust", { grayscale: true }, (picture) => picture.greyscale()],
  ["adjust", { invert: true }, (picture) => picture.negate()],
  ["adjust", { temperature: 30 }, (picture) => picture.tint("#ffd9a0")],
  ["adjust", { shadows: 40, highlights: -40, vibrance: 30 }],
  ["adjust", { sharpen: 50 }, (picture) => picture.sharpen({ sigma: 0.8 })],
  ["adjust", { unsharp: 50 }, (picture) => picture.sharpen({ sigma: 2.5 })],
  filter({ blur: { value: 2 } }, (picture) => picture.blur(2)),
  filter({ blur: { value: 10 } }, (picture) => picture.blur(10)),
  filter({ blur: { mode: "box", value: 10 } }),
  filter({ blur: { mode: "disc", value: 10 } }),
  filter({ blur: { mode: "motion", value: 20, angle: 30 } }),
  filter({ blur: { mode: "zoom", value: 20 } }),
  filter({ blur: { mode: "median", value: 1 } }, (picture) => picture.median(3)),
  filter({ blur: { mode: "median", value: 2 } }, (picture) => picture.median(5)),
  filter({ blur: { mode: "median", value: 5 } }, (picture) => picture.median(11)),
  filter({ blur: { mode: "median", value: 20 } }),
  filter({ sepia: { value: 80 } }, (picture) => picture.recomb(SEPIA)),
  filter({ pixellate: { value: 12 } }),
  filter({ duotone: { light: "fe8", dark: "013" } }),
  filter({ monochrome: { value: 60, color: "f80" } }),
  filter({ halftone: { value: 8 } }),
  filter({ halftone: { mode: "cmyk", value: 8 } }),
  filter({ replace: { from: "808080", to: "ff0000", value: 30 } }),
  [
    "watermark",
    { id: "a", gravity: "bottom-right", padding: 40 },
    (picture) => picture.composite([{ input: MARK, left: 3_448, top: 2_448 }]),
  ],
  ["mask", { shape: "ellipse" }],
  ["border", { size: 40, radius: 80 }],
  [
    "padding",
    { size: 100 },
    (picture) => picture.extend({ top: 100, bottom: 100, left: 100, right: 100, background: "#fff" }),
  ],
];

/** Rows are the new channels. */
const SEPIA = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
] as [[number, number, number], [number, number, number], [number, number, number]];

export async function main(): Promise<void> {
  sharp.concurrency(1);
  sharp.cache(false);
  const pixels = scene(SIZE.width, SIZE.height);
  const samples = pixels.data.filter((_, index) => index % 4 !== 3);
  const words = (process.env["ONLY"] ?? "").split(" ");
  console.log(`${"".padEnd(66)} ms of processor, own   sharp   ratio`);
  for (const line of LINES) {
    const name = `${line[0]} ${JSON.stringify(line[1])}`;
    if (words.some((word) => name.includes(word))) console.log(await compared(name, line, pixels, samples));
  }
}

async function compared(name: string, [operation, params, other]: Line, pixels: Pixels, samples: Uint8Array) {
  const overlay = new Uint8Array(MARK).buffer;
  const own = () => applied(operation, params, pixels, { overlay });
  const theirs =
    other &&
    (() =>
      other(sharp(samples, { raw: { ...SIZE, channels: 3 } }))
        .raw()
        .toBuffer());
  const times: { own: number[]; theirs: number[] } = { own: [], theirs: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const ownMs = await processorMs(own);
    const theirMs = theirs && (await processorMs(theirs));
    if (round === 0) continue; // warms up
    times.own.push(ownMs);
    if (theirMs !== undefined) times.theirs.push(theirMs);
  }
  const ownMs = median(times.own);
  const start = `${name.padEnd(74)} ${ownMs.toFixed(0).padStart(12)}`;
  if (!theirs) return start;
  const theirMs = median(times.theirs);
  return `${start} ${theirMs.toFixed(0).padStart(7)} ${(ownMs / theirMs).toFixed(2).padStart(7)}`;
}

async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}
