/** The headers of a coded picture (ITU-T H.265, section 7.3): what is known of it without decoding. */
import { damaged, unsupported } from "../heif/bytes.ts";
import type { CodedHeaders } from "../heif/codec.ts";
import { UnitBits } from "./bits.ts";
import { type Configuration, UNIT } from "./configuration.ts";
import { qualityOf } from "./quality.ts";

export interface HevcHeaders extends CodedHeaders {
  /** Pixels that are coded: whole blocks. */
  readonly codedPixels: number;
}

interface Sequence extends Omit<HevcHeaders, "quality"> {
  readonly id: number;
  readonly adaptiveOffset: boolean;
  readonly separatePlanes: boolean;
}

const CHROMA = ["gray", "4:2:0", "4:2:2", "4:4:4"] as const;
const UNIT_HEADER_BITS = 16;
/** The limits of levels 8.5 and below, ITU-T H.265, A.4.1: no side is longer. */
const MAX_CODED_SIDE = 65_535;

/** @throws ApiError 422 when they are damaged, or say what is not supported */
export function readHeaders({ units }: Configuration): HevcHeaders {
  const [first] = unitsOf(units, UNIT.sequence);
  if (!first) throw damaged();
  const sequence = readSequence(first);
  const { id: _, adaptiveOffset: _offset, separatePlanes: _planes, ...headers } = sequence;
  return { ...headers, quality: estimateQuality(units, sequence) };
}

function unitsOf(units: readonly Uint8Array[], type: number): Uint8Array[] {
  return units.filter((unit) => typeOf(unit) === type);
}

function typeOf(unit: Uint8Array): number {
  return (unit[0]! >> 1) & 63;
}

/** seq_parameter_set_rbsp, up to the coding tools that a slice header depends on. */
function readSequence(unit: Uint8Array): Sequence {
  const bits = new UnitBits(unit);
  bits.skip(UNIT_HEADER_BITS + 4);
  const layers = bits.number(3);
  bits.skip(1);
  skipProfiles(bits, layers);
  const id = bits.unsigned();
  const format = bits.unsigned();
  const separatePlanes = format === 3 && bits.flag();
  const codedWidth = bits.unsigned();
  const codedHeight = bits.unsigned();
  const [left, right, top, bottom] = bits.flag()
    ? [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()]
    : [0, 0, 0, 0];
  const depths = [bits.unsigned() + 8, bits.unsigned() + 8];
  const chroma = CHROMA[format];
  if (!chroma || codedWidth > MAX_CODED_SIDE || codedHeight > MAX_CODED_SIDE) throw damaged();
  const gray = chroma === "gray";
  if (separatePlanes || depths[0]! > 16 || (!gray && depths[0] !== depths[1])) throw unsupported("its kind of samples");
  const unitX = format === 1 || format === 2 ? 2 : 1;
  const unitY = format === 1 ? 2 : 1;
  const width = codedWidth - unitX * (left + right);
  const height = codedHeight - unitY * (top + bottom);
  if (width < 1 || height < 1) throw damaged();
  const codedPixels = codedWidth * codedHeight;
  return { id, width, height, codedPixels, bits: depths[0]!, chroma, separatePlanes, ...readTools(bits, layers) };
}

/** profile_tier_level. */
function skipProfiles(bits: UnitBits, layers: number): void {
  bits.skip(88 + 8);
  const present = Array.from({ length: layers }, () => [bits.flag(), bits.flag()] as const);
  if (layers > 0) bits.skip(2 * (8 - layers));
  for (const [profile, level] of present) bits.skip((profile ? 88 : 0) + (level ? 8 : 0));
}

function readTools(bits: UnitBits, layers: number) {
  bits.unsigned();
  const everyLayer = bits.flag();
  for (let layer = everyLayer ? 0 : layers; layer <= layers; layer++) for (let i = 0; i < 3; i++) bits.unsigned();
  for (let i = 0; i < 6; i++) bits.unsigned();
  if (bits.flag() && bits.flag()) skipScalingLists(bits);
  bits.skip(1);
  const adaptiveOffset = bits.flag();
  return { adaptiveOffset, rgb: false };
}

/** scaling_list_data. */
function skipScalingLists(bits: UnitBits): void {
  for (let size = 0; size < 4; size++) {
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      if (!bits.flag()) {
        bits.unsigned();
        continue;
      }
      if (size > 1) bits.signed();
      for (let i = 0; i < Math.min(64, 1 << (4 + 2 * size)); i++) bits.signed();
    }
  }
}

/** The quantization parameter of the first slice says what quality was asked for. */
function estimateQuality(units: readonly Uint8Array[], sequence: Sequence): number {
  const slice = units.find((unit) => typeOf(unit) <= UNIT.lastSlice);
  const picture = unitsOf(units, UNIT.picture)[0];
  if (!slice || !picture) throw damaged();
  const depthOffset = 6 * (sequence.bits - 8);
  const { lossless, parameter } = readQuantizer(picture, slice, sequence);
  return lossless ? 100 : qualityOf(parameter + depthOffset);
}

/** pic_parameter_set_rbsp and slice_segment_header, as far as intra pictures need them. */
function readQuantizer(picture: Uint8Array, slice: Uint8Array, { adaptiveOffset, chroma }: Sequence) {
  const set = new UnitBits(picture);
  set.skip(UNIT_HEADER_BITS);
  set.unsigned();
  set.unsigned();
  set.skip(1);
  const outputFlag = set.flag();
  const extraBits = set.number(3);
  set.skip(2);
  set.unsigned();
  set.unsigned();
  const initial = 26 + set.signed();
  set.skip(2);
  if (set.flag()) set.unsigned();
  set.signed();
  set.signed();
  set.skip(3);
  const lossless = set.flag();
  const bits = new UnitBits(slice);
  const type = typeOf(slice);
  bits.skip(UNIT_HEADER_BITS);
  const first = bits.flag();
  if (type >= UNIT.firstRandomAccess && type <= UNIT.lastRandomAccess) bits.skip(1);
  bits.unsigned();
  if (!first) return { lossless, parameter: initial };
  bits.skip(extraBits);
  const intra = bits.unsigned() === 2;
  if (outputFlag) bits.skip(1);
  // Other pictures say more here, of which the quantizer is the last.
  const instant = type === UNIT.instantRefresh || type === UNIT.instantRefresh + 1;
  if (!intra || !instant) return { lossless, parameter: initial };
  if (adaptiveOffset) bits.skip(chroma === "gray" ? 1 : 2);
  return { lossless, parameter: initial + bits.signed() };
}
