/** Reads rows so that as many come at a time as are asked for. */
import type { Rows } from "../pixels/rows.ts";

/** Fills a band with the next rows of a picture, of which there are as many. */
export async function filled(rows: Rows, band: Uint8Array): Promise<Uint8Array> {
  for (let at = 0; at < band.length;) {
    const read = await rows.read((band.length - at) / (rows.width * 4));
    if (!read) throw new Error("the rows ended early");
    band.set(read, at);
    at += read.length;
  }
  return band;
}
