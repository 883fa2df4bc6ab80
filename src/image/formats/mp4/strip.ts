/** Films that have nothing but pictures: others have sound, places and names of devices, and are never handed out. */
import { asItIs, type Stripped } from "../../containers/stripped.ts";
import { Boxes, childOf } from "../heif/bytes.ts";
import { topLevel } from "../heif/items.ts";

/** What `write.ts` writes. */
const FILE = ["ftyp", "moov", "mdat"];
const MOVIE = ["mvhd", "trak"];
const TRACK = ["tkhd", "edts", "mdia"];
const MEDIA = ["mdhd", "hdlr", "minf"];

/** @returns null where a film has more than one track of pictures */
export function strip(bytes: Uint8Array): Stripped | null {
  const moov = topLevel(bytes, "moov");
  const trak = moov && childOf(moov, "trak");
  const mdia = trak && childOf(trak, "mdia");
  const isBare = mdia && has(bytes, FILE) && has(moov, MOVIE) && has(trak, TRACK) && has(mdia, MEDIA);
  return isBare ? asItIs(bytes) : null;
}

/** Whether bytes are these boxes, and no others. */
function has(bytes: Uint8Array, types: readonly string[]): boolean {
  const boxes = new Boxes(bytes, { lenient: true });
  let [count, end] = [0, 0];
  while (boxes.next()) {
    if (!boxes.is(types[count++] ?? "")) return false;
    ({ end } = boxes);
  }
  return count === types.length && end === bytes.length;
}
