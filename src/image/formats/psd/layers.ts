/**
 * The picture that layers make, of files that were saved without a merged one (Adobe Photoshop File Formats Specification,
 * November 2019, "Layer and Mask Information Section"). Layers are laid on each other row by row, so that nothing but a row
 * of each is held. What only Photoshop can draw is refused by name.
 */
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { type Box, isWhole } from "../../pixels/geometry.ts";
import { type ChannelRow, channelRows } from "./channels.ts";
import { COLOR_CHANNELS, damaged, type PsdFile } from "./header.ts";

/** A mask of a layer: how much of it is seen, and what is outside of it. */
interface Mask {
  readonly box: Box;
  readonly outside: number;
}

interface Layer {
  readonly box: Box;
  /** Where the samples of each channel begin, by its number: colors from 0 on, then alpha and a mask. */
  readonly channels: ReadonlyMap<number, number>;
  /** 0 to 1. */
  readonly opacity: number;
  readonly mask: Mask | undefined;
}

/** Numbers of channels that are no colors. */
const ALPHA = -1;
const USER_MASK = -2;
/** Files of designers have some hundred. */
const MAX_LAYERS = 2_000;
/** Flags of a layer, and of a mask. */
const HIDDEN = 2;
const MASK = { relative: 1, disabled: 2, inverted: 4 } as const;
/** What a layer lies on: a section divider of these kinds begins and ends a group. */
const DIVIDER = { open: 1, closed: 2, bounding: 3 } as const;
/** Blocks of effects, and of layers that have no pixels of their own. */
const EFFECTS: ReadonlySet<string> = new Set(["lfx2", "lrFX", "lmfx", "lfxs"]);
const COMPUTED: ReadonlySet<string> = new Set(
  "SoCo GdFl PtFl brit levl curv expA vibA hue hue2 blnc blwh phfl mixr clrL nvrt post thrs grdm selc vmsk vsms".split(
    " ",
  ),
);

const cannot = (what: string) =>
  new ApiError(
    422,
    `The PSD file was saved without a merged picture, and its layers cannot be laid on each other: ${what}`,
  );

/** Reads fields in their order. */
class Reader {
  at: number;
  private readonly view: DataView;
  private readonly large: boolean;

  constructor(bytes: Uint8Array, at: number, large: boolean) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
    this.large = large;
  }

  byte = () => this.view.getUint8(this.at++);
  short = () => this.view.getInt16((this.at += 2) - 2);
  int = () => this.view.getInt32((this.at += 4) - 4);
  uint = () => this.view.getUint32((this.at += 4) - 4);
  /** A length, of twice as many bytes in PSB. */
  length = () => (this.large ? Number(this.view.getBigUint64((this.at += 8) - 8)) : this.uint());
  key = () => String.fromCharCode(this.byte(), this.byte(), this.byte(), this.byte());
  box(): Box {
    const [top, left, bottom, right] = [this.int(), this.int(), this.int(), this.int()];
    return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
  }
}

/** A layer as it is listed, before it is known which groups are hidden. */
interface Listed {
  readonly box: Box;
  readonly lengths: readonly (readonly [channel: number, bytes: number])[];
  readonly blend: string;
  readonly opacity: number;
  readonly isClipped: boolean;
  readonly isHidden: boolean;
  readonly mask: (Mask & { readonly isDisabled: boolean; readonly isSimple: boolean }) | undefined;
  readonly keys: ReadonlySet<string>;
  readonly divider: number;
}

/**
 * The layers that are seen, the lowest first.
 * @param start of the section
 * @throws ApiError 422 when it is damaged, or something in it cannot be drawn
 */
export function readLayers(bytes: Uint8Array, file: PsdFile, start: number): readonly Layer[] {
  const { mode, depth, large } = file;
  if (depth !== 8 || (mode !== "rgb" && mode !== "gray")) throw cannot("they are not of 8 bits in RGB or gray");
  const reader = new Reader(bytes, start, large);
  try {
    reader.length();
    reader.length();
    const count = Math.abs(reader.short());
    if (count === 0) throw cannot("there are none");
    if (count > MAX_LAYERS) throw new ApiError(422, `The image must have at most ${MAX_LAYERS} layers`);
    const listed = Array.from({ length: count }, () => readRecord(reader, large));
    return withoutHidden(listed, placesOf(listed, reader.at));
  } catch (error) {
    if (error instanceof RangeError) throw damaged(error);
    throw error;
  }
}

function readRecord(reader: Reader, large: boolean): Listed {
  const box = reader.box();
  const lengths = Array.from({ length: reader.short() & 0xff }, () => [reader.short(), reader.length()] as const);
  if (reader.key() !== "8BIM") throw damaged();
  const blend = reader.key();
  const [opacity, clipping, flags] = [reader.byte(), reader.byte(), reader.byte()];
  reader.byte();
  const extraBytes = reader.uint();
  const end = reader.at + extraBytes;
  const mask = readMask(reader, box);
  const rangesBytes = reader.uint();
  reader.at += rangesBytes;
  const nameAt = reader.at;
  const nameBytes = reader.byte();
  reader.at = nameAt + ((nameBytes + 4) & ~3);
  const { keys, fill, divider } = readBlocks(reader, end, large);
  reader.at = end;
  const isClipped = clipping !== 0;
  const shown = { blend, opacity: (opacity * fill) / 65_025, isClipped, isHidden: (flags & HIDDEN) !== 0 };
  return { box, lengths, ...shown, mask, keys, divider };
}

function readMask(reader: Reader, layer: Box): Listed["mask"] {
  const length = reader.uint();
  const end = reader.at + length;
  if (length < 18) {
    reader.at = end;
    return undefined;
  }
  const box = reader.box();
  const [outside, flags] = [reader.byte(), reader.byte()];
  reader.at = end;
  const moved = flags & MASK.relative ? { ...box, x: box.x + layer.x, y: box.y + layer.y } : box;
  const isSimple = (flags & MASK.inverted) === 0 && length <= 20;
  return { box: moved, outside, isDisabled: (flags & MASK.disabled) !== 0, isSimple };
}

/** Lengths of these have eight bytes in PSB; none of them belongs to a layer that is drawn here. */
const WIDE: ReadonlySet<string> = new Set(
  "LMsk Lr16 Lr32 Layr Mt16 Mt32 Mtrn Alph FMsk lnk2 FEid FXid PxSD".split(" "),
);

function readBlocks(reader: Reader, end: number, large: boolean) {
  const keys = new Set<string>();
  let fill = 255;
  let divider = 0;
  let count = 0;
  while (reader.at + 12 <= end) {
    if (++count > PARTS.layerBlocks.most) throw tooManyParts(PARTS.layerBlocks);
    reader.at += 4;
    const key = reader.key();
    const length = large && WIDE.has(key) ? reader.length() : reader.uint();
    const start = reader.at;
    // What is not asked for is not kept: a layer may have nothing but blocks.
    if (EFFECTS.has(key) || COMPUTED.has(key)) keys.add(key);
    if (key === "iOpa") fill = reader.byte();
    if (key === "lsct" || key === "lsdk") divider = reader.uint();
    reader.at = start + length + (length & 1);
  }
  return { keys, fill, divider };
}

/** Where the channels of each layer begin, which follow one another behind the list. */
function placesOf(listed: readonly Listed[], start: number): ReadonlyMap<number, number>[] {
  let at = start;
  return listed.map(({ lengths }) => {
    const places = new Map<number, number>();
    for (const [channel, bytes] of lengths) {
      places.set(channel, at);
      at += bytes;
    }
    return places;
  });
}

function withoutHidden(listed: readonly Listed[], places: readonly ReadonlyMap<number, number>[]): Layer[] {
  const shown: Layer[] = [];
  /** How many layers were below each group that is open. */
  const groups: number[] = [];
  /** Why a layer of a group cannot be drawn, unless it turns out that the group is hidden. */
  let refusals: { readonly at: number; readonly refusal: ApiError }[] = [];
  for (const [index, layer] of listed.entries()) {
    if (layer.divider === DIVIDER.bounding) {
      groups.push(shown.length);
      continue;
    }
    const isGroup = layer.divider === DIVIDER.open || layer.divider === DIVIDER.closed;
    const below = isGroup ? (groups.pop() ?? 0) : shown.length;
    if (layer.isHidden) {
      shown.length = below;
      if (isGroup) refusals = refusals.filter(({ at }) => at < below);
      continue;
    }
    const refusal = isGroup ? refusalOfGroup(layer) : refusalOfLayer(layer);
    if (refusal) refusals.push({ at: below, refusal });
    if (isGroup) continue;
    const mask = layer.mask && !layer.mask.isDisabled ? layer.mask : undefined;
    shown.push({ box: layer.box, channels: places[index] ?? new Map(), opacity: layer.opacity, mask });
  }
  const [first] = refusals;
  if (first) throw first.refusal;
  return shown;
}

function refusalOfGroup({ blend, opacity, mask, keys }: Listed): ApiError | undefined {
  if (blend !== "norm" && blend !== "pass") return cannot("a blend mode other than normal");
  if (opacity < 1 || (mask && !mask.isDisabled)) return cannot("a group that is translucent or has a mask");
  return isAmong(keys, EFFECTS) ? cannot("effects") : undefined;
}

function refusalOfLayer({ blend, isClipped, mask, keys }: Listed): ApiError | undefined {
  if (blend !== "norm") return cannot("a blend mode other than normal");
  if (isClipped) return cannot("a layer that is clipped by another");
  if (isAmong(keys, EFFECTS)) return cannot("effects");
  if (isAmong(keys, COMPUTED)) return cannot("adjustments, fills or shapes");
  return mask && !mask.isDisabled && !mask.isSimple ? cannot("a mask with settings of its own") : undefined;
}

function isAmong(keys: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  return [...keys].some((key) => some.has(key));
}

/** Whether something can be seen through: no layer without alpha covers all. */
export function isTranslucent(layers: readonly Layer[], { width, height }: PsdFile): boolean {
  return !layers.some(
    ({ box, channels, opacity, mask }) =>
      opacity === 1 && !mask && !channels.has(ALPHA) && box.width > 0 && isWhole(box, { width, height }),
  );
}

/** Pixels of all layers together, masks included. */
export function layerPixels(layers: readonly Layer[]): number {
  const area = ({ width, height }: Box) => width * height;
  return layers.reduce((sum, { box, mask }) => sum + area(box) + (mask ? area(mask.box) : 0), 0);
}

/** Bytes that one row of each layer takes while it is laid, tables of this side included. */
export function layerBytes(layers: readonly Layer[]): number {
  return layers.reduce((sum, { box, mask }) => sum + 512 + 5 * box.width + (mask?.box.width ?? 0), 0);
}

interface Laid {
  readonly box: Box;
  readonly colors: readonly ChannelRow[];
  readonly alpha: ChannelRow | undefined;
  readonly opacity: number;
  readonly mask: { readonly box: Box; readonly outside: number; readonly row: ChannelRow | undefined } | undefined;
}

/** Writes rows of the picture as RGBA, in order. @throws ApiError 422 when samples are missing */
export function layersRow(bytes: Uint8Array, file: PsdFile, layers: readonly Layer[]) {
  const laid = layers.filter(({ box }) => box.width > 0 && box.height > 0).map((layer) => laidOf(bytes, file, layer));
  const sums = new Float32Array(file.width * 4);
  return (target: Uint8Array, y: number): void => {
    sums.fill(0);
    for (const layer of laid) lay(sums, layer, y, file.width);
    for (let at = 0; at < sums.length; at += 4) {
      const alpha = sums[at + 3]!;
      const scale = alpha > 0 ? 1 / alpha : 0;
      for (let channel = 0; channel < 3; channel++) target[at + channel] = Math.round(sums[at + channel]! * scale);
      target[at + 3] = Math.round(alpha * 255);
    }
  };
}

function laidOf(bytes: Uint8Array, file: PsdFile, { box, channels, opacity, mask }: Layer): Laid {
  const rowsOf = (channel: number, of: Box): ChannelRow | undefined => {
    const at = channels.get(channel);
    if (at === undefined || of.width === 0 || of.height === 0) return undefined;
    const compression = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (compression > 1) throw cannot("samples that are compressed in another way");
    const rows = { ...file, width: of.width, height: of.height, channels: 1, depth: 8, dataOffset: at + 2 };
    return channelRows(bytes, { ...rows, compression: compression === 1 ? "packed" : "raw" }, 1)[0];
  };
  const colors = Array.from({ length: COLOR_CHANNELS[file.mode] }, (_, channel) => {
    const row = rowsOf(channel, box);
    if (!row) throw damaged();
    return row;
  });
  const seen = mask && { ...mask, row: rowsOf(USER_MASK, mask.box) };
  return { box, colors, alpha: rowsOf(ALPHA, box), opacity, mask: seen };
}

/** Lays a row of a layer over what is there; sums are colors times alpha, and alpha from 0 to 1. */
function lay(sums: Float32Array, { box, colors, alpha, opacity, mask }: Laid, y: number, width: number): void {
  const own = y - box.y;
  const row = own >= 0 && own < box.height;
  if (!row) return;
  const samples = colors.map((read) => read(own));
  const alphas = alpha?.(own);
  const maskY = mask ? y - mask.box.y : 0;
  const masked = mask && maskY >= 0 && maskY < mask.box.height ? mask.row?.(maskY) : undefined;
  const [red = new Uint8Array(0), green = red, blue = red] = samples;
  const end = Math.min(width, box.x + box.width);
  for (let x = Math.max(0, box.x); x < end; x++) {
    const from = x - box.x;
    let share = opacity * ((alphas?.[from] ?? 255) / 255);
    if (mask) share *= (masked?.[x - mask.box.x] ?? mask.outside) / 255;
    if (share === 0) continue;
    const at = x * 4;
    const rest = 1 - share;
    sums[at] = sums[at]! * rest + red[from]! * share;
    sums[at + 1] = sums[at + 1]! * rest + green[from]! * share;
    sums[at + 2] = sums[at + 2]! * rest + blue[from]! * share;
    sums[at + 3] = sums[at + 3]! * rest + share;
  }
}
