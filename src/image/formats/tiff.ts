/** TIFF and BigTIFF, by libtiff in `wasm/tiff`: the first picture of the file. */
import type { NativeError } from "../../../wasm/load.ts";
import { beside, held } from "../../../wasm/price.ts";
import { FACTS_BYTES, readPrice, type TiffOutput, TiffReader } from "../../../wasm/tiff/reader.ts";
import { ApiError } from "../../errors.ts";
import type { Breath } from "../breath.ts";
import { converted } from "../color/convert.ts";
import { type Demand, type Facts, format, type Reader } from "../format.ts";
import { bytesPerPixel, type Rows } from "../rows.ts";
import { guarded, guardedAsync } from "./guard.ts";
import { TIFF } from "./optional.ts";
import { factsOf } from "./tiff/facts.ts";
import { metadata } from "./tiff/metadata.ts";

const read: Reader = {
  probe(bytes) {
    const reader = guarded(() => new TiffReader(bytes, FACTS_BYTES, 0), refusal);
    try {
      return factsOf(reader.facts);
    } finally {
      reader.close();
    }
  },

  // What lies above the wanted rows may have to be decoded with them.
  price: (facts, { deep }) => {
    const deepBytes = deep ? (facts.deepBytes ?? 0) : 0;
    return beside(held(peakBytes(facts) + deepBytes), readPrice(facts.width * facts.height));
  },

  async *open(bytes, facts, demand, breath) {
    const rows = openRows(bytes, facts, demand, breath);
    const { box } = demand;
    try {
      yield { delayMs: 0, rows, box: { ...box, y: box.y - firstRow(demand) } };
    } finally {
      rows.close();
    }
  },
  deep: true,
};

export const tiff = format({
  ...TIFF,
  summary: "Read only: the first picture; 1 to 16 bits, floating point, all color spaces, strips and tiles.",
  can: { alpha: true, animation: false, quality: false, lossless: true, web: false },
  read,
  metadata,
});

/** Inks and gray go through their profiles as they are stored; inks without a usable one are converted naively. */
function openRows(bytes: Uint8Array, facts: Facts, demand: Demand, breath: Breath): Rows {
  const { profile, colorspace, alpha } = facts;
  if (profile && colorspace === "CMYK" && !alpha) {
    const inks = readerRows(bytes, facts, demand, "cmyk", breath);
    const rows = converted(inks, profile, "cmyk");
    if (rows) return rows;
    inks.close();
  }
  return readerRows(bytes, facts, demand, demand.deep ? "deep" : "rgba", breath);
}

/** Rows from the first wanted one to the last. */
function readerRows(bytes: Uint8Array, facts: Facts, demand: Demand, output: TiffOutput, breath: Breath): Rows {
  const { width, height, alpha } = facts;
  const reader = guarded(() => new TiffReader(bytes, peakBytes(facts), width * height), refusal);
  const deep = output === "deep" ? true : undefined;
  const stride = width * bytesPerPixel({ deep });
  const first = firstRow(demand);
  const end = Math.max(first + 1, Math.min(height, Math.ceil(demand.box.y + demand.box.height)));
  let y = first;
  return {
    width,
    height: end - first,
    opaque: !alpha,
    deep,
    async read(max) {
      if (y === end) return null;
      const rows = await guardedAsync(() => reader.read(Math.min(max, end - y), output, breath, first), refusal);
      if (!rows) return null;
      y += rows.length / stride;
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

/** What native code refuses is damaged, or of a kind that cannot be read. */
function refusal(reason: NativeError): ApiError {
  return new ApiError(422, reasonOf(reason.message), { cause: reason });
}

function reasonOf(message: string): string {
  const number = /^compression (\d+)$/.exec(message)?.[1];
  if (number !== undefined) {
    return `The TIFF file is compressed ${COMPRESSIONS[number] ? `with ${COMPRESSIONS[number]}, which` : "in a way that"} is not supported`;
  }
  if (message === "not supported") return "The TIFF file has samples of a kind that is not supported";
  return "The TIFF file is damaged or cut short";
}
