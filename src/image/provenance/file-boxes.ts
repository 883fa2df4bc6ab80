/** The boxes of an ISO base media file (ISO/IEC 14496-12) as paths name them, for hashes over all but some of them. */
import { TooMuch } from "./cbor.ts";
import { MAX_BOXES } from "./limits.ts";

export interface FileBox {
  readonly type: string;
  readonly at: number;
  /** Where its content begins. */
  readonly start: number;
  readonly end: number;
  /** Its content begins with a version and flags. */
  readonly isFull: boolean;
  readonly inner: () => FileBox[];
}

/** Boxes that hold boxes. */
const CONTAINERS: ReadonlySet<string> = new Set(
  "moov trak edts mdia minf dinf stbl mvex moof traf mfra meco strk schi tref skip iprp ipco sinf".split(" "),
);
/** Boxes with a version and flags, among those that hashes leave parts of out. */
const FULL: ReadonlySet<string> = new Set(
  "meta iloc iinf iref pitm hdlr infe stco co64 mvhd tkhd mdhd mfro saio sidx tfdt tfhd trun mfhd emsg uuid".split(" "),
);
const UUID_BYTES = 16;

/** The outermost boxes of a file, in their order; what is behind the last whole one is left out. @throws Unreadable */
export function topBoxes(bytes: Uint8Array): FileBox[] {
  return boxesIn(bytes, 0, bytes.length);
}

function boxesIn(bytes: Uint8Array, from: number, to: number): FileBox[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const boxes: FileBox[] = [];
  for (let at = from; at + 8 <= to;) {
    const short = view.getUint32(at);
    if (short === 1 && at + 16 > to) break;
    const header = short === 1 ? 16 : 8;
    const length = short === 0 ? to - at : short === 1 ? Number(view.getBigUint64(at + 8)) : short;
    if (length < header || at + length > to) break;
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const start = at + header + (type === "uuid" ? UUID_BYTES : 0);
    const end = at + length;
    const isFull = FULL.has(type);
    const content = start + (type === "meta" ? 4 : 0);
    let within: FileBox[] | undefined;
    const inner = () => (within ??= type === "meta" || CONTAINERS.has(type) ? boxesIn(bytes, content, end) : []);
    boxes.push({ type, at, start, end, isFull, inner });
    if (boxes.length > MAX_BOXES) throw new TooMuch("too many boxes");
    at = end;
  }
  return boxes;
}
