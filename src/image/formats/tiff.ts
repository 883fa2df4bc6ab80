/** TIFF and BigTIFF, by libtiff in `wasm/tiff`: the first picture of the file. */
import { NativeError } from "../../../wasm/load.ts";
import { FACTS_BYTES, type TiffOutput, TiffReader } from "../../../wasm/tiff/reader.ts";
import { ApiError } from "../../errors.ts";
import { converted } from "../color/convert.ts";
import { type Demand, type Facts, format } from "../format.ts";
import type { Rows } from "../rows.ts";
import { factsOf } from "./tiff/facts.ts";

/** Little and big endian; classic and BigTIFF. */
const SIGNATURES = ["II*\0", "MM\0*", "II+\0", "MM\0+"];

export const tiff = format({
  summary: "Read only: the first picture; 1 to 16 bits, floating point, all color spaces, strips and tiles.",
  label: "TIFF",
  mime: "image/tiff",
  extensions: ["tif", "tiff"],
  can: { alpha: true, animation: false, quality: false, lossless: true, web: false },
  signature: (head) => SIGNATURES.includes(String.fromCharCode(...head.subarray(0, 4))),

  probe(bytes) {
    const reader = guard(() => new TiffReader(bytes, FACTS_BYTES));
    try {
      return factsOf(reader.facts);
    } finally {
      reader.close();
    }
  },

  decodePeakBytes: peakBytes,

  *open(bytes, facts, demand) {
    const rows = openRows(bytes, facts, demand);
    const { box } = demand;
    try {
      yield { delayMs: 0, rows, box: { ...box, y: box.y - firstRow(demand) } };
    } finally {
      rows.close();
    }
  },
});

/** Inks and gray go through their profiles as they are stored; inks without a usable one are converted naively. */
function openRows(bytes: Uint8Array, facts: Facts, demand: Demand): Rows {
  const { profile, colorspace, alpha } = facts;
  if (profile && colorspace === "CMYK" && !alpha) {
    const inks = readerRows(bytes, facts, demand, "cmyk");
    const rows = converted(inks, profile, "cmyk");
    if (rows) return rows;
    inks.close();
  }
  return readerRows(bytes, facts, demand, "rgba");
}

/** Rows from the first wanted one to the last. */
function readerRows(bytes: Uint8Array, facts: Facts, demand: Demand, output: TiffOutput): Rows {
  const { width, height, alpha } = facts;
  const reader = guard(() => new TiffReader(bytes, peakBytes(facts)));
  const first = firstRow(demand);
  const end = Math.max(first + 1, Math.min(height, Math.ceil(demand.box.y + demand.box.height)));
  let y = first;
  return {
    width,
    height: end - first,
    opaque: !alpha,
    read(max) {
      if (y === end) return null;
      const rows = guard(() => reader.read(Math.min(max, end - y), output, first));
      if (!rows) return null;
      y += rows.length / (width * 4);
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
  34661: "JBIG",
  34887: "LERC",
  34925: "LZMA",
  50000: "Zstandard",
  50001: "WebP",
  50002: "JPEG XL",
};

/** Runs native code; what it refuses is damaged, or of a kind that cannot be read. */
function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof NativeError ? new ApiError(422, reasonOf(error.message), { cause: error }) : error;
  }
}

function reasonOf(message: string): string {
  const number = /^compression (\d+)$/.exec(message)?.[1];
  if (number !== undefined) {
    return `The TIFF file is compressed ${COMPRESSIONS[number] ? `with ${COMPRESSIONS[number]}, which` : "in a way that"} is not supported`;
  }
  if (message === "not supported") return "The TIFF file has samples of a kind that is not supported";
  return "The TIFF file is damaged or cut short";
}
