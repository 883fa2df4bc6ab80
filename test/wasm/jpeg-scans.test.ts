/** How progressive JPEG files are divided into scans. */
import { describe, expect, it } from "vitest";

import { encode } from "../support/jpeg-pixels.ts";
import { noise, paint } from "../support/rows.ts";

/** The bands of the scans of a file, by zigzag positions. */
function bandsOf(bytes: Uint8Array): string[] {
  const starts = [...bytes.keys()].filter((at) => bytes[at] === 0xff && bytes[at + 1] === 0xda);
  return starts.map((at) => {
    const end = at + 2 + (bytes[at + 3] ?? 0);
    return `${bytes[end - 3]}-${bytes[end - 2]}`;
  });
}

describe("the scans of a progressive JPEG file", () => {
  it("are few where there is little to divide", () => {
    const flat = paint(64, 48, (x) => [x < 30 ? 255 : 40, 90, 90, 255]);
    const bands = bandsOf(encode(flat, { progressive: true }));
    expect(bands).toEqual(["0-0", "0-0", "0-0", "1-63", "1-63", "1-63"]);
  });

  it("come in steps of precision where there is much", () => {
    const bands = bandsOf(encode(noise(128, 96), { quality: 95, subsampling: "4:4:4", progressive: true }));
    expect(bands.filter((band) => band === "1-2")).toHaveLength(3);
    expect(bands.filter((band) => band === "3-63")).toHaveLength(9);
  });
});
