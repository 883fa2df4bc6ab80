/** The units of an AV1 bitstream (AV1 bitstream specification, sections 5.3 and 5.5). */
import { PARTS } from "../../../limits/parts.ts";
import { Walk } from "../../containers/walk.ts";
import { Bits } from "../heif/bits.ts";
import { damaged, unsupported } from "../heif/bytes.ts";

/** obu_type. */
export const UNIT = { sequence: 1, temporalDelimiter: 2, frameHeader: 3, frame: 6 } as const;

/** The units of one picture of a bitstream. */
export class Units extends Walk {
  constructor(bytes: Uint8Array) {
    super(bytes, PARTS.units);
  }

  get type(): number {
    return (this.bytes[this.at]! >> 3) & 15;
  }

  /** @throws ApiError 422 where the unit is cut short */
  protected read(at: number): boolean {
    const header = this.bytes[at]!;
    this.start = at + (header & 4 ? 2 : 1);
    this.end = header & 2 ? this.readSize() : this.bytes.length;
    if (this.end < this.start || this.isCut) throw damaged();
    return true;
  }

  /** Section 4.10.5: seven bits a byte, the lowest first. @returns where the unit ends */
  private readSize(): number {
    let size = 0;
    for (let index = 0; index < 8; index++) {
      const byte = this.bytes[this.start++];
      if (byte === undefined) break;
      size += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return this.start + size;
    }
    throw damaged();
  }
}

/** The content of the first unit of some types; undefined where there is none. All units are counted. */
export function unitOf(bytes: Uint8Array, ...types: readonly number[]): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  const units = new Units(bytes);
  while (units.next()) if (types.includes(units.type)) found ??= units.content;
  return found;
}

/** What a unit that says its size begins with. */
export function unitHeader(type: number, payloadBytes: number): Uint8Array {
  const header = [(type << 3) | 2];
  let size = payloadBytes;
  for (; size > 127; size = Math.floor(size / 128)) header.push((size % 128) | 128);
  return Uint8Array.from([...header, size]);
}

/** What a sequence header says, as far as it is needed. */
export interface Sequence {
  readonly profile: number;
  readonly level: number;
  readonly tier: number;
  /** The header of its frame leaves out what a still does not need. */
  readonly reduced: boolean;
  readonly operatingPoints: number;
  /** There are layers, of which an operating point says which belong to it. */
  readonly layered: boolean;
  readonly width: number;
  readonly height: number;
  /** Bits in which a frame header says sizes that differ from these. */
  readonly widthBits: number;
  readonly heightBits: number;
  readonly frameIdBits: number;
  readonly largeBlocks: boolean;
  /** 0 never, 1 always, 2 as the frame header says. */
  readonly screenContent: number;
  readonly integerMotion: number;
  readonly orderHintBits: number;
  readonly superresolution: boolean;
  /** Frame headers say how strong the filter against ringing is, and how samples are restored. */
  readonly ringingFilter: boolean;
  readonly restoration: boolean;
  /** Decoding times are said in frame headers. */
  readonly timed: boolean;
  readonly bits: number;
  readonly gray: boolean;
  readonly halfX: boolean;
  readonly halfY: boolean;
  readonly samplePosition: number;
  /** Quantizers of the two planes of chroma differ. */
  readonly separateChroma: boolean;
  /** ISO/IEC 23091-2, section 8.3. */
  readonly matrix: number;
  readonly grain: boolean;
}

/** sequence_header_obu, section 5.5.1. */
export function readSequence(payload: Uint8Array): Sequence {
  const bits = new Bits(payload);
  const profile = bits.number(3);
  if (profile > 2) throw unsupported("its AV1 profile");
  bits.skip(1);
  const reduced = bits.flag();
  const points = reduced
    ? { level: bits.number(5), tier: 0, operatingPoints: 1, layered: false, timed: false }
    : readOperatingPoints(bits);
  const widthBits = bits.number(4) + 1;
  const heightBits = bits.number(4) + 1;
  const width = bits.number(widthBits) + 1;
  const height = bits.number(heightBits) + 1;
  const frameIdBits = !reduced && bits.flag() ? bits.number(4) + 2 + bits.number(3) + 1 : 0;
  const largeBlocks = bits.flag();
  bits.skip(2);
  const tools = reduced ? { screenContent: 2, integerMotion: 2, orderHintBits: 0 } : readTools(bits);
  const superresolution = bits.flag();
  const filters = { ringingFilter: bits.flag(), restoration: bits.flag() };
  const color = readColors(bits, profile);
  const grain = bits.flag();
  const sizes = { width, height, widthBits, heightBits };
  return {
    profile,
    reduced,
    ...points,
    ...sizes,
    frameIdBits,
    largeBlocks,
    ...tools,
    superresolution,
    ...filters,
    ...color,
    grain,
  };
}

/** uvlc(), section 4.10.3. */
function skipVariable(bits: Bits): void {
  let zeros = 0;
  // Numbers of 32 bits and more stand for none that there may be.
  while (!bits.flag()) if (++zeros === 32) throw damaged();
  bits.skip(zeros);
}

function readOperatingPoints(bits: Bits) {
  let delayBits = 0;
  if (bits.flag()) {
    bits.skip(64);
    if (bits.flag()) skipVariable(bits);
    if (bits.flag()) {
      delayBits = bits.number(5) + 1;
      bits.skip(32 + 5 + 5);
    }
  }
  const displayDelays = bits.flag();
  const operatingPoints = bits.number(5) + 1;
  let [level, tier] = [0, 0];
  let layered = operatingPoints > 1;
  for (let point = 0; point < operatingPoints; point++) {
    if (bits.number(12) > 0) layered = true;
    const pointLevel = bits.number(5);
    const pointTier = pointLevel > 7 ? bits.number(1) : 0;
    if (point === 0) [level, tier] = [pointLevel, pointTier];
    if (delayBits > 0 && bits.flag()) bits.skip(2 * delayBits + 1);
    if (displayDelays && bits.flag()) bits.skip(4);
  }
  return { level, tier, operatingPoints, layered, timed: delayBits > 0 };
}

/** Tools of moving pictures, up to the length of order hints. */
function readTools(bits: Bits) {
  bits.skip(4);
  const ordered = bits.flag();
  if (ordered) bits.skip(2);
  const screenContent = bits.flag() ? 2 : bits.number(1);
  const integerMotion = screenContent === 0 || bits.flag() ? 2 : bits.number(1);
  return { screenContent, integerMotion, orderHintBits: ordered ? bits.number(3) + 1 : 0 };
}

const UNSPECIFIED = 2;

/** color_config, section 5.5.2. */
function readColors(bits: Bits, profile: number) {
  const high = bits.flag();
  const depth = high ? (profile === 2 && bits.flag() ? 12 : 10) : 8;
  const gray = profile !== 1 && bits.flag();
  const [primaries, transfer, matrix] = bits.flag()
    ? [bits.number(8), bits.number(8), bits.number(8)]
    : [UNSPECIFIED, UNSPECIFIED, UNSPECIFIED];
  const common = { bits: depth, gray, matrix, samplePosition: 0, separateChroma: false };
  if (gray) {
    bits.skip(1);
    return { ...common, halfX: true, halfY: true };
  }
  if (primaries === 1 && transfer === 13 && matrix === 0) {
    return { ...common, halfX: false, halfY: false, separateChroma: bits.flag() };
  }
  bits.skip(1);
  const halfX = profile === 0 || (profile === 2 && (depth < 12 || bits.flag()));
  const halfY = profile === 0 || (profile === 2 && depth === 12 && halfX && bits.flag());
  const samplePosition = halfX && halfY ? bits.number(2) : 0;
  return { ...common, halfX, halfY, samplePosition, separateChroma: bits.flag() };
}
