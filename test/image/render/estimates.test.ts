/** What work holds, against what it declares before it is admitted: every kind of file, written in every way. */
import { expect, it } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import type { SingleOrder } from "../../../src/image/render/order.ts";
import avif from "../../fixtures/avif/colors_hdr_rec2020.avif";
import avifAlpha from "../../fixtures/avif/straight-alpha.avif";
import bmp from "../../fixtures/bmp/rgb24.bmp";
import bmpAlpha from "../../fixtures/bmp/rgba32.bmp";
import gifMoving from "../../fixtures/gif/dispose-previous.gif";
import gif from "../../fixtures/gif/hippopotamus.masked-with-muybridge.gif";
import heicAlpha from "../../fixtures/heic/alpha.heic";
import heic from "../../fixtures/heic/s422.heic";
import ico from "../../fixtures/ico/favicon.ico";
import jpegInks from "../../fixtures/jpeg/cmyk.jpg";
import jpegProgressive from "../../fixtures/jpeg/progressive.jpg";
import jpeg from "../../fixtures/jpeg/whole-s420.jpg";
import jpeg2000 from "../../fixtures/jpeg2000/alpha.jp2";
import jxlAlpha from "../../fixtures/jxl/alpha-lossless.jxl";
import jxlMoving from "../../fixtures/jxl/animated.jxl";
import jxlLossy from "../../fixtures/jxl/progressive-dc.jxl";
import pngMoving from "../../fixtures/png/over-background.apng";
import png from "../../fixtures/png/rgb-16-adam7.png";
import pngAlpha from "../../fixtures/png/rgba-8.png";
import psdAlpha from "../../fixtures/psd/transparent.psd";
import psd from "../../fixtures/psd/zip-8.psb";
import svg from "../../fixtures/svg/Android_robot.svg";
import tiffAlpha from "../../fixtures/tiff/lzw-rgba-4444.tif";
import tiff from "../../fixtures/tiff/video-001-16bit.tif";
import webpAlpha from "../../fixtures/webp/1-webp-a.webp";
import webpMoving from "../../fixtures/webp/animated-red-blue.webp";
import webp from "../../fixtures/webp/video-001-lossy.webp";
import { admittedDuring } from "../../support/admitted.ts";
import { isForToday } from "../../support/exhaustive.ts";
import { rendered } from "../../support/render.ts";

const ORIGINALS: Readonly<Record<string, ArrayBuffer>> = {
  AVIF: avif,
  "AVIF with alpha": avifAlpha,
  BMP: bmp,
  "BMP with alpha": bmpAlpha,
  "GIF with alpha": gif,
  "an animated GIF": gifMoving,
  HEIC: heic,
  "HEIC with alpha": heicAlpha,
  ICO: ico,
  JPEG: jpeg,
  "a progressive JPEG": jpegProgressive,
  "a JPEG of inks": jpegInks,
  "JPEG 2000 with alpha": jpeg2000,
  "JPEG XL": jxlLossy,
  "JPEG XL with alpha": jxlAlpha,
  "an animated JPEG XL": jxlMoving,
  PNG: png,
  "PNG with alpha": pngAlpha,
  "an animated PNG": pngMoving,
  PSD: psd,
  "PSD with alpha": psdAlpha,
  SVG: svg,
  TIFF: tiff,
  "TIFF with alpha": tiffAlpha,
  WebP: webp,
  "WebP with alpha": webpAlpha,
  "an animated WebP": webpMoving,
};

const RESIZE = {
  width: 90,
  mode: "auto",
  gravity: "center",
  upscale: true,
  background: "ffffff",
  linear: false,
} as const;
const OPERATIONS: readonly SingleOrder["operations"][] = [
  {},
  { resize: RESIZE },
  { rotate: { angle: 30, background: "ffffff" } },
];

const OBJECTIVES: Readonly<Record<string, SingleOrder["optimize"]>> = {
  usual: { lossless: false },
  "quality 80": { lossless: false, quality: 80 },
  lossless: { lossless: true },
  "a size": { lossless: false, target_bytes: 30_000 },
};

const WRITERS = (Object.entries(FORMATS) as [FormatName, FormatDefinition][]).filter(([, { write }]) => write);

/**
 * One of the objectives and operations for each pair of formats: neighbors have others, so that all of them meet every
 * format.
 */
const PAIRS = Object.entries(ORIGINALS).flatMap(([name, file], row) =>
  WRITERS.map(([to, { can }], column) => ({ name, file, to, can, turn: row + column * 5 })).filter(
    ({ can }) => name.startsWith("an animated") || !can.movesAlone,
  ),
);

const OPTIONS = Object.entries(OBJECTIVES).flatMap(([objective, optimize]) =>
  OPERATIONS.map((operations) => ({ objective, optimize, operations })),
);

/** One of a list, which goes round. */
function turned<Item>(list: readonly Item[], turn: number): Item {
  const item = list[turn % list.length];
  if (item === undefined) throw new RangeError("the list is empty");
  return item;
}

interface Excess {
  readonly job: string;
  readonly heldBytes: number;
  readonly declaredBytes: number;
}

/** The pieces of work of a job that held more than they declared; the file is a part of what the last of them held. */
async function excessOf(job: string, file: ArrayBuffer, order: Partial<SingleOrder>): Promise<Excess[]> {
  let resultBytes = 0;
  const run = async () => {
    try {
      const { output } = await rendered(new Uint8Array(file), order);
      // An original that is kept is the caller's.
      if (!output.isOriginal) resultBytes = output.bytes.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  };
  const pieces = await admittedDuring(run, { now: () => performance.now(), memory: true });
  expect(pieces.length).toBeGreaterThan(0);
  return pieces
    .map(({ estimate, heldBytes }, index) => ({
      job,
      heldBytes: heldBytes + (index === pieces.length - 1 ? resultBytes : 0),
      declaredBytes: estimate.bytes,
    }))
    .filter(({ heldBytes, declaredBytes }) => heldBytes > declaredBytes);
}

it.each(WRITERS.map(([to]) => to))("holds no more than is declared while it becomes %s", async (to) => {
  const excess: Excess[] = [];
  for (const { name, file, turn } of PAIRS.filter((pair) => pair.to === to && isForToday(pair.turn, 3))) {
    const { objective, optimize, operations } = turned(OPTIONS, turn);
    const order = { operations, output: { format: to, encoding: "progressive" }, optimize } as const;
    excess.push(...(await excessOf(`${name}, ${objective}, ${Object.keys(operations).join()}`, file, order)));
  }
  expect(excess).toEqual([]);
});
