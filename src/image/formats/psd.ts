/** PSD and PSB: the merged picture that Photoshop stores behind the layers, or what simple layers make without one. */
import { parallel, held } from "../../../wasm/estimate.ts";
import { converted } from "../codec/convert-colors.ts";
import { type Decoded, type Demand, type Facts, format, type Reader } from "../codec/format.ts";
import { type Rows, rowsOf } from "../pixels/rows.ts";
import { computedFrame, computedEstimate } from "./computed-rows.ts";
import { channelRows, unzipped, unzipEstimate } from "./psd/channels.ts";
import { alphaToBytes, removeWhite, rowColors, toBytes } from "./psd/colors.ts";
import { COLOR_CHANNELS, isPsd, type Mode, parsePsd, type PsdFile } from "./psd/header.ts";
import { isTranslucent, layerBytes, layerPixels, layersRow, readLayers } from "./psd/layers.ts";

const COLORSPACES: Readonly<Record<Mode, string>> = {
  bitmap: "Gray",
  gray: "Gray",
  indexed: "Palette",
  rgb: "RGB",
  cmyk: "CMYK",
  lab: "Lab",
};

/** Channels that make the picture, transparency included. */
const MOST_CHANNELS = 5;

/** Each bit of a pixel, and a pixel of Lab besides, which is converted. */
const BIT_NANOSECONDS = 0.2;
const LAB_NANOSECONDS = 46;

const read: Reader = {
  factsOf(bytes) {
    const file = parsePsd(bytes);
    if (file.layersOffset !== undefined) return layeredFacts(file, readLayers(bytes, file, file.layersOffset));
    const { width, height, mode, depth, transparency, profile } = file;
    const unzipping = unzipEstimate(file);
    return {
      width,
      height,
      orientation: 1,
      frames: 1,
      loops: 1,
      alpha: hasAlpha(file),
      colorspace: COLORSPACES[mode],
      interlaced: false,
      subsample: "4:4:4",
      depth: depth * (COLOR_CHANNELS[mode] + (transparency ? 1 : 0)),
      quality: 100,
      decodeBytes: unzipping.bytes,
      decodeMs: unzipping.ms,
      ...(profile && depth !== 32 && { profile }),
    } satisfies Facts;
  },

  estimate(facts) {
    const { width, depth, colorspace, decodeBytes = 0, decodeMs = 0 } = facts;
    const nanoseconds = depth * BIT_NANOSECONDS + (colorspace === COLORSPACES.lab ? LAB_NANOSECONDS : 0);
    // A row of every channel as stored, at most four bytes a sample, perhaps twice, and as 8 bits; rows with alpha
    // apart.
    const rows = computedEstimate(facts, nanoseconds);
    return parallel(rows, held(rows.bytes + width * MOST_CHANNELS * 9), { bytes: decodeBytes, ms: decodeMs });
  },

  async *open(stored, { profile, alpha }, demand, timeSlice) {
    const parsed = parsePsd(stored);
    if (parsed.layersOffset !== undefined) {
      const row = layersRow(stored, parsed, readLayers(stored, parsed, parsed.layersOffset));
      yield computedFrame({ ...parsed, opaque: !alpha, row }, demand);
      return;
    }
    const { bytes, file } = await unzipped(stored, parsed, timeSlice);
    if (profile && file.mode === "cmyk") {
      const inks = pictureFrame(bytes, file, demand, true);
      const rows = converted(inks.rows, profile, "cmyk-inverted");
      if (rows) {
        const start = demand.box.y - inks.box.y;
        yield { ...inks, rows: file.transparency ? withAlpha(rows, bytes, file, start) : rows };
        return;
      }
    }
    yield pictureFrame(bytes, file, demand, false);
  },
};

export const psd = format({
  summary:
    "Photoshop files (PSD, PSB), read only: the merged picture, 1 to 32 bits, all color modes; else plain layers.",
  label: "PSD",
  mime: "image/vnd.adobe.photoshop",
  extensions: ["psd", "psb"],
  can: { alpha: true, animation: false, quality: false, lossless: true, web: false },
  signature: isPsd,
  read,
  sample: Uint8Array.fromBase64("OEJQUwABAAAAAAAAAAMAAAABAAAAAQAIAAMAAAAAAAAAAAAAAAAAAP8AAA=="),
});

function hasAlpha({ transparency, mode, transparentIndex }: PsdFile): boolean {
  return transparency || (mode === "indexed" && transparentIndex >= 0 && transparentIndex < 256);
}

/** Laying a pixel of a layer over what is there, and reading it. */
const LAYER_PIXEL_NANOSECONDS = 25;

function layeredFacts(file: PsdFile, layers: ReturnType<typeof readLayers>): Facts {
  const { width, height, mode, profile } = file;
  const alpha = isTranslucent(layers, file);
  return {
    width,
    height,
    orientation: 1,
    frames: 1,
    loops: 1,
    alpha,
    colorspace: COLORSPACES[mode],
    interlaced: false,
    subsample: "4:4:4",
    depth: 8 * (COLOR_CHANNELS[mode] + (alpha ? 1 : 0)),
    quality: 100,
    decodeBytes: layerBytes(layers) + width * 16,
    decodeMs: (layerPixels(layers) * LAYER_PIXEL_NANOSECONDS) / 1e6,
    ...(profile && { profile }),
  };
}

/** The merged picture as RGBA, or its inks as they are stored. */
function pictureFrame(bytes: Uint8Array, file: PsdFile, demand: Demand, inks: boolean): Decoded {
  const { width, height, mode, depth, transparency, transparentIndex } = file;
  const colors = COLOR_CHANNELS[mode];
  const channels = channelRows(bytes, file, colors + (transparency ? 1 : 0));
  const samples = Array.from({ length: colors }, () => new Uint8Array(width));
  const alpha = new Uint8Array(width).fill(255);
  const write = rowColors(file, inks);
  return computedFrame(
    {
      width,
      height,
      opaque: !hasAlpha(file) || inks,
      row(target, y) {
        samples.forEach((row, index) => toBytes(channels[index]!(y), depth, row));
        if (transparency) {
          alphaToBytes(channels[colors]!(y), depth, alpha);
          if (mode !== "lab") removeWhite(samples, alpha);
        } else if (hasAlpha(file)) samples[0]!.forEach((index, x) => (alpha[x] = index === transparentIndex ? 0 : 255));
        write(samples, target);
        if (!inks && hasAlpha(file)) for (let x = 0; x < width; x++) target[x * 4 + 3] = alpha[x]!;
      },
    },
    demand,
  );
}

/** Converted inks with the transparency that has no place beside four of them. */
function withAlpha(rows: Rows, bytes: Uint8Array, file: PsdFile, start: number): Rows {
  const colors = COLOR_CHANNELS[file.mode];
  const channel = channelRows(bytes, file, colors + 1)[colors]!;
  const alpha = new Uint8Array(file.width);
  let y = start;
  return rowsOf(rows, {
    opaque: false,
    async read(max) {
      const band = await rows.read(max);
      for (let at = 0; band && at < band.length; at += rows.width * 4) {
        alphaToBytes(channel(y++), file.depth, alpha);
        for (let x = 0; x < rows.width; x++) band[at + x * 4 + 3] = alpha[x]!;
      }
      return band;
    },
  });
}
