/**
 * The sections of a Photoshop file up to its merged picture (Adobe Photoshop File Formats Specification, November
 * 2019). Layers are passed over.
 */
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { Walk } from "../../containers/walk.ts";
import { Resources } from "../../metadata/resources.ts";

export type Mode = "bitmap" | "gray" | "indexed" | "rgb" | "cmyk" | "lab";

/**
 * How rows are stored: `packed` each on its own, `zip` all of them together, then perhaps as differences from one
 * sample to the next (`zipped-differences`; `differences` once they are not compressed any more).
 */
type Compression = "raw" | "packed" | "zipped" | "zipped-differences" | "differences";

export interface PsdFile {
  readonly width: number;
  readonly height: number;
  /** All of them, masks and spot colors included. */
  readonly channels: number;
  /** Bits per sample: 1, 8, 16 or 32 (floating point). */
  readonly depth: number;
  readonly mode: Mode;
  /** The colors of an indexed picture: 256 levels of red, then green, then blue. */
  readonly palette: Uint8Array;
  /** The index that is transparent, or -1. */
  readonly transparentIndex: number;
  /** The channel after the colors is the transparency of the merged picture. */
  readonly transparency: boolean;
  readonly profile: Uint8Array | undefined;
  readonly compression: Compression;
  /** PSB: lengths have twice as many bytes. */
  readonly large: boolean;
  /** Where the rows begin, or the table of their lengths, or what is compressed as a whole. */
  readonly dataOffset: number;
  /** Where the section of layers begins, of a file without a merged picture; absent where there is one. */
  readonly layersOffset?: number | undefined;
}

const MODES: Readonly<Record<number, Mode>> = {
  0: "bitmap",
  1: "gray",
  2: "indexed",
  3: "rgb",
  4: "cmyk",
  // What is known of a duotone's inks is secret: it is shown as gray, as the specification advises.
  8: "gray",
  9: "lab",
};
export const COLOR_CHANNELS = { bitmap: 1, gray: 1, indexed: 1, rgb: 3, cmyk: 4, lab: 3 } as const;

const HEADER_BYTES = 26;
const MAX_CHANNELS = 56;
const MAX_SIDE = 300_000;
const PALETTE_BYTES = 768;
const RESOURCE = { profile: 0x040f, transparentIndex: 0x0417, version: 0x0421 } as const;
const COMPRESSIONS: readonly (Compression | undefined)[] = ["raw", "packed", "zipped", "zipped-differences"];
/** A number among the modes. */
const MULTICHANNEL = 7;

export const damaged = (cause?: unknown) => new ApiError(422, "The PSD file is damaged or cut short", { cause });
const unsupported = () => new ApiError(422, "The PSD file has a color mode or compression that is not supported");

/** Whether the bytes begin as a PSD or PSB file does. */
export function isPsd(head: Uint8Array): boolean {
  return String.fromCharCode(...head.subarray(0, 4)) === "8BPS";
}

/** @throws ApiError 422 when the file is damaged, or has no merged picture that could be read */
export function parsePsd(bytes: Uint8Array): PsdFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    return readSections(bytes, view);
  } catch (error) {
    // A length that leads beyond the end.
    if (error instanceof RangeError) throw damaged(error);
    throw error;
  }
}

function readSections(bytes: Uint8Array, view: DataView): PsdFile {
  const version = view.getUint16(4);
  if (!isPsd(bytes) || (version !== 1 && version !== 2)) throw damaged();
  const large = version === 2;
  const channels = view.getUint16(12);
  const height = view.getUint32(14);
  const width = view.getUint32(18);
  const depth = view.getUint16(22);
  if (channels < 1 || channels > MAX_CHANNELS || width < 1 || height < 1) throw damaged();
  if (width > MAX_SIDE || height > MAX_SIDE) throw damaged();
  const isMultichannel = view.getUint16(24) === MULTICHANNEL;
  const mode = isMultichannel ? modeOfInks(channels) : MODES[view.getUint16(24)];
  if (!mode || (mode === "bitmap") !== (depth === 1) || ![1, 8, 16, 32].includes(depth)) throw unsupported();
  if (mode === "indexed" && depth !== 8) throw unsupported();
  if (channels < COLOR_CHANNELS[mode]) throw damaged();

  const paletteEnd = sectionEnd(view, HEADER_BYTES);
  const palette = bytes.subarray(HEADER_BYTES + 4, paletteEnd);
  if (mode === "indexed" && palette.length < PALETTE_BYTES) throw damaged();
  const resourcesEnd = sectionEnd(view, paletteEnd);
  const resources = readResources(bytes.subarray(paletteEnd + 4, resourcesEnd));
  const layersEnd = sectionEnd(view, resourcesEnd, large);
  if (resources.noPicture) {
    const { profile, transparentIndex } = resources;
    const layered = {
      layersOffset: resourcesEnd,
      compression: "raw",
      dataOffset: layersEnd,
      transparency: false,
    } as const;
    return { width, height, channels, depth, mode, palette, large, transparentIndex, profile, ...layered };
  }
  const compression = COMPRESSIONS[view.getUint16(layersEnd)];
  // There are no differences between bits.
  if (!compression || (depth === 1 && compression === "zipped-differences")) throw unsupported();
  return {
    width,
    height,
    channels,
    depth,
    mode,
    palette,
    large,
    transparentIndex: resources.transparentIndex,
    transparency:
      !isMultichannel &&
      channels > COLOR_CHANNELS[mode] &&
      hasTransparency({ bytes, view, large }, resourcesEnd + (large ? 8 : 4), layersEnd),
    profile: resources.profile,
    compression,
    dataOffset: layersEnd + 2,
  };
}

/**
 * A picture of several channels came of one in RGB, whose channels are then inks of cyan, magenta and yellow with 255
 * for none, or of one in CMYK, with black besides; further inks are spot colors, which are not shown of other modes
 * either.
 */
function modeOfInks(channels: number): Mode {
  return channels < 3 ? "gray" : channels === 3 ? "rgb" : "cmyk";
}

/** Where the section ends whose length is at `at`. */
function sectionEnd(view: DataView, at: number, wide = false): number {
  const length = wide ? Number(view.getBigUint64(at)) : view.getUint32(at);
  const end = at + (wide ? 8 : 4) + length;
  if (end > view.byteLength) throw damaged();
  return end;
}

function readResources(section: Uint8Array) {
  let profile: Uint8Array | undefined;
  let transparentIndex = -1;
  let noPicture = false;
  const resources = new Resources(section);
  while (resources.next() && !resources.isShort) {
    const { number, data } = resources;
    if (number === RESOURCE.profile) profile = data;
    else if (number === RESOURCE.transparentIndex && data.length >= 2) transparentIndex = (data[0]! << 8) | data[1]!;
    else if (number === RESOURCE.version && data.length >= 5) noPicture = data[4] === 0;
  }
  return { profile, transparentIndex, noPicture };
}

/**
 * Whether the channel after the colors is transparency and not a mask: the layer count is then negative. Files of 16
 * and 32 bits have their layers in a block behind, or say it by a block of its own.
 */
function hasTransparency(
  { bytes, view, large }: { readonly bytes: Uint8Array; readonly view: DataView; readonly large: boolean },
  start: number,
  end: number,
): boolean {
  const lengthBytes = large ? 8 : 4;
  if (start + lengthBytes + 2 > end) return false;
  const layersEnd = sectionEnd(view, start, large);
  if (layersEnd > start + lengthBytes) return view.getInt16(start + lengthBytes) < 0;
  if (layersEnd + 4 > end) return false;
  const blocks = new LayerBlocks(bytes.subarray(0, end), sectionEnd(view, layersEnd), large);
  while (blocks.next()) {
    if (TRANSPARENT_BLOCKS.has(blocks.key)) return true;
    if (LAYER_BLOCKS.has(blocks.key) && blocks.isNegative) return true;
  }
  return false;
}

const TRANSPARENT_BLOCKS = new Set(["Mt16", "Mt32", "Mtrn"]);
/** Blocks of layers, which begin with how many there are. Their lengths are wide in large files. */
const LAYER_BLOCKS = new Set(["Lr16", "Lr32", "Layr"]);
const KEY_AT = 4;
const LENGTH_AT = 8;

/** The blocks behind the layers of a file. */
class LayerBlocks extends Walk {
  private readonly large: boolean;

  constructor(bytes: Uint8Array, from: number, large: boolean) {
    super(bytes, PARTS.layerBlocks, from);
    this.large = large;
  }

  get key(): string {
    return this.textAt(this.at + KEY_AT);
  }

  /** It begins with a negative number of 16 bits. */
  get isNegative(): boolean {
    const { content } = this;
    return content.length >= 2 && content[0]! >= 0x80;
  }

  protected read(at: number): boolean {
    if (at + LENGTH_AT + 4 > this.bytes.length) return false;
    const isWide = this.large && LAYER_BLOCKS.has(this.textAt(at + KEY_AT));
    if (isWide && at + LENGTH_AT + 8 > this.bytes.length) throw damaged();
    const low = this.numberAt(at + LENGTH_AT + (isWide ? 4 : 0));
    const length = isWide ? this.numberAt(at + LENGTH_AT) * 2 ** 32 + low : low;
    this.start = at + LENGTH_AT + (isWide ? 8 : 4);
    this.end = this.start + Math.ceil(length / 4) * 4;
    return true;
  }
}
