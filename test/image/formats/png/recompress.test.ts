import { crc32, deflateSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import specification016 from "../../../fixtures/png/apng-spec-016.png";
import gamma1 from "../../../fixtures/png/gamma-1.png";
import gray16 from "../../../fixtures/png/gray-16.png";
import palette8 from "../../../fixtures/png/palette-8.png";
import rgb8Key from "../../../fixtures/png/rgb-8-key.png";
import rgb16Adam7 from "../../../fixtures/png/rgb-16-adam7.png";
import rgb16 from "../../../fixtures/png/rgb-16.png";
import rgba8Adam7 from "../../../fixtures/png/rgba-8-adam7.png";
import rgba16 from "../../../fixtures/png/rgba-16.png";
import displayP3 from "../../../fixtures/profiles/display-p3.icc";
import { drain, paint, pictureOf, type Pixels } from "../../../support/rows.ts";

function framesOf(bytes: Uint8Array): Pixels[] {
  const facts = png.probe(bytes);
  const { width, height } = facts;
  const decoded = png.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height });
  return [...decoded].map(({ rows }) => drain(rows));
}

function recompressed(file: ArrayBuffer | Uint8Array): Uint8Array {
  const bytes = new Uint8Array(file);
  const result = png.recompress(bytes);
  if (!result) throw new Error("nothing was written");
  return result;
}

/** The file with one more chunk behind IHDR. */
function withChunk(bytes: Uint8Array, type: string, data: Uint8Array): Uint8Array {
  const body = Uint8Array.from([...new TextEncoder().encode(type), ...data]);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return Uint8Array.from([...bytes.subarray(0, 33), ...chunk, ...bytes.subarray(33)]);
}

const PROFILE = Uint8Array.from([...new TextEncoder().encode("p3"), 0, 0, ...deflateSync(new Uint8Array(displayP3))]);

describe("recompressing PNG", () => {
  it.each([
    ["RGBA, interlaced", rgba8Adam7],
    ["key color", rgb8Key],
    ["palette", palette8],
    ["16-bit gray", gray16],
    ["16-bit RGB", rgb16],
    ["16-bit RGB, interlaced", rgb16Adam7],
    ["16-bit RGBA", rgba16],
    ["a gamma of its own", gamma1],
    ["animation", specification016],
  ])("keeps every pixel: %s", (_name, file) => {
    const result = recompressed(file);
    expect(framesOf(result)).toEqual(framesOf(new Uint8Array(file)));
    expect(result.length).toBeLessThan(file.byteLength * 1.03);
  });

  it("keeps 16 bits where they are used, and only there", () => {
    expect(png.probe(recompressed(rgb16)).depth).toBe(48);
    // The same picture interlaced or not is the same file in the end.
    expect(recompressed(rgb16Adam7)).toEqual(recompressed(rgb16));
  });

  it("keeps a profile, and the kind of samples that it is made for", () => {
    const gray = png.encode(pictureOf([paint(20, 20, (x) => [x, x, x, 255])]), {
      lossless: true,
      quality: 100,
      progressive: false,
      effort: 0.5,
    });
    expect(png.probe(gray).colorspace).toBe("Gray");
    const rgb = withChunk(new Uint8Array(palette8), "iCCP", PROFILE);
    const result = recompressed(rgb);
    expect(png.probe(result).profile).toEqual(new Uint8Array(displayP3));
    expect(png.probe(recompressed(withChunk(gray, "iCCP", PROFILE))).colorspace).toBe("Gray");
  });

  it("drops what changes no pixel", () => {
    const text = new TextEncoder().encode("Comment\0a long text that nobody sees".repeat(50));
    expect(recompressed(withChunk(new Uint8Array(palette8), "tEXt", text))).toEqual(recompressed(palette8));
  });
});
