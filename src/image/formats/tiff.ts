/**
 * TIFF and BigTIFF, read by libtiff in `wasm/tiff`: the first full picture of the file; of RAW files of cameras, a preview.
 * Written in strips by code of our own.
 */
import { parallel, held } from "../../../wasm/estimate.ts";
import type { NativeError } from "../../../wasm/load.ts";
import { FACTS_BYTES, readEstimate, SHARED_VALUES, type TiffOutput, TiffReader } from "../../../wasm/tiff/reader.ts";
import { ApiError } from "../../errors.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { convertedInks, type InkRows } from "../codec/convert-colors.ts";
import { type Demand, type Facts, format, type Reader } from "../codec/format.ts";
import { guarded, guardedAsync } from "../codec/guard.ts";
import { bytesPerPixel, type Rows } from "../pixels/rows.ts";
import { jpeg } from "./jpeg.ts";
import { TIFF } from "./optional.ts";
import { placeOf } from "./tiff/directories.ts";
import { checkEntries } from "./tiff/directory.ts";
import { factsOf } from "./tiff/facts.ts";
import { manifest } from "./tiff/manifest.ts";
import { metadata } from "./tiff/metadata.ts";
import { strip } from "./tiff/strip.ts";
import { write } from "./tiff/write.ts";

const read: Reader = {
  factsOf(bytes) {
    const place = placeOf(bytes);
    if (place.kind === "preview") {
      const facts = jpeg.read.factsOf(place.file);
      return { ...facts, orientation: place.orientation ?? facts.orientation, isPreview: true };
    }
    checkEntries(bytes, place.at);
    const reader = guarded(() => new TiffReader(bytes, FACTS_BYTES, 0, place), refusal);
    try {
      return factsOf(reader.facts);
    } finally {
      reader.close();
    }
  },

  // What lies above the wanted rows may have to be decoded with them.
  estimate: (facts, demand) => {
    if (facts.isPreview) return jpeg.read.estimate(facts, demand);
    const sixteenBitBytes = demand.sixteenBit ? (facts.sixteenBitBytes ?? 0) : 0;
    return parallel(held(peakBytes(facts) + sixteenBitBytes), readEstimate(facts.width * facts.height));
  },

  scale: (facts, demand) => (facts.isPreview ? jpeg.read.scale(facts, demand) : 1),

  async *open(bytes, facts, demand, timeSlice) {
    const place = placeOf(bytes);
    if (place.kind === "preview") {
      yield* jpeg.read.open(place.file, facts, demand, timeSlice);
      return;
    }
    const rows = openRows(bytes, facts, demand, timeSlice);
    const { box } = demand;
    try {
      yield { delayMs: 0, rows, box: { ...box, y: box.y - firstRow(demand) } };
    } finally {
      rows.close();
    }
  },
  sixteenBit: true,
};

export const tiff = format({
  ...TIFF,
  summary:
    "The first full picture of 1 to 16 bits, floating point, all color spaces, strips and tiles; of RAW files the largest JPEG preview. Written without loss, deflated.",
  can: { alpha: true, animation: false, quality: false, lossless: true, web: false, spaces: "any" },
  role: { listed: 9 },
  read,
  write,
  strip,
  metadata,
  manifest,
});

/** Inks and gray go through their profiles as they are stored; inks without a usable one are converted naively. */
function openRows(bytes: Uint8Array, facts: Facts, demand: Demand, timeSlice: TimeSlice): Rows {
  const { profile, colorspace } = facts;
  if (profile && colorspace === "CMYK") {
    const inks = readerRows(bytes, facts, demand, "cmyk", timeSlice);
    const rows = convertedInks(inks, profile, "cmyk");
    if (rows) return rows;
    inks.close();
  }
  return readerRows(bytes, facts, demand, demand.sixteenBit ? "sixteenBit" : "rgba", timeSlice);
}

/** Rows from the first wanted one to the last. */
function readerRows(
  bytes: Uint8Array,
  facts: Facts,
  demand: Demand,
  output: TiffOutput,
  timeSlice: TimeSlice,
): InkRows {
  const { width, height, alpha } = facts;
  const place = placeOf(bytes);
  const where = place.kind === "directory" ? place : { at: 0 };
  const reader = guarded(() => new TiffReader(bytes, peakBytes(facts), width * height, where), refusal);
  const sixteenBit = output === "sixteenBit" ? true : undefined;
  const stride = width * bytesPerPixel({ sixteenBit });
  const first = firstRow(demand);
  const end = Math.max(first + 1, Math.min(height, Math.ceil(demand.box.y + demand.box.height)));
  let y = first;
  let count = 0;
  return {
    width,
    height: end - first,
    opaque: !alpha,
    alpha: alpha && output === "cmyk" ? () => reader.alphas(count) : null,
    sixteenBit,
    async read(max) {
      if (y === end) return null;
      const rows = await guardedAsync(() => reader.read(Math.min(max, end - y), output, timeSlice, first), refusal);
      if (!rows) return null;
      count = rows.length / stride;
      y += count;
      return rows;
    },
    close: () => reader.close(),
  };
}

function peakBytes({ decodeBytes = 0 }: Facts): number {
  return decodeBytes + FACTS_BYTES;
}

function firstRow({ box }: Demand): number {
  return Math.max(0, Math.floor(box.y));
}

/** Compressions that libtiff knows and this build of it leaves out, by the numbers of their tag. */
const COMPRESSIONS: Readonly<Record<string, string>> = {
  9: "JBIG",
  10: "JBIG",
  32908: "PixarFilm",
  32909: "PixarLog",
  32947: "Kodak DCS",
  33003: "JPEG 2000",
  33005: "JPEG 2000",
  34661: "JBIG",
  34712: "JPEG 2000",
  34718: "MDI",
  34719: "MDI",
  34720: "MDI",
  34887: "LERC",
  34925: "LZMA",
  50000: "Zstandard",
  50001: "WebP",
  50002: "JPEG XL",
};

/** What native code refuses is damaged, or of a kind that cannot be read. */
function refusal(reason: NativeError): ApiError {
  return new ApiError(422, reasonOf(reason.message), { cause: reason });
}

function reasonOf(message: string): string {
  const number = /^compression (\d+)$/.exec(message)?.[1];
  if (number !== undefined) {
    return `The TIFF file is compressed ${COMPRESSIONS[number] ? `with ${COMPRESSIONS[number]}, which` : "in a way that"} is not supported`;
  }
  if (message === SHARED_VALUES) return "The TIFF file cannot be read: its values share too many bytes";
  if (message === "not supported") return "The TIFF file has samples of a kind that is not supported";
  return "The TIFF file is damaged or cut short";
}
