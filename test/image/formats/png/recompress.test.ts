/** Writing a PNG file anew from its own samples. */
import { crc32, deflateSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { png } from "../../../../src/image/formats/png.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
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

async function framesOf(bytes: Uint8Array): Promise<Pixels[]> {
  const facts = png.read.factsOf(bytes);
  const { width, height } = facts;
  const decoded = png.read.open(bytes, facts, { box: { x: 0, y: 0, width, height }, width, height }, UNPAUSED);
  const pixels: Pixels[] = [];
  for await (const { rows } of decoded) pixels.push(await drain(rows));
  return pixels;
}

async function recompressed(file: ArrayBuffer | Uint8Array): Promise<Uint8Array> {
  const bytes = new Uint8Array(file);
  const result = await png.recompress.run(bytes, png.read.factsOf(bytes), { progressive: false }, UNPAUSED);
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
  it("leaves out what has a wrong checksum and says what colors mean", async () => {
    const bytes = withChunk(new Uint8Array(rgb16), "gAMA", Uint8Array.of(0, 1, 134, 160));
    const deep = withChunk(bytes, "cLLI", new Uint8Array(8));
    const damaged = deep.slice();
    // The checksums of cLLI, behind IHDR, and of gAMA behind that.
    const view = new DataView(damaged.buffer);
    view.setUint32(33 + 16, 1);
    view.setUint32(33 + 20 + 12, 1);
    const texts = [
      await recompressed(damaged),
      png.strip(damaged)?.file(),
      await recompressed(deep),
      png.strip(deep)?.file(),
    ].map((file) => ["gAMA", "cLLI"].filter((type) => new TextDecoder("latin1").decode(file).includes(type)));
    expect(texts).toEqual([[], [], ["gAMA", "cLLI"], ["gAMA", "cLLI"]]);
  });

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
  ])("keeps every pixel: %s", async (_name, file) => {
    const result = await recompressed(file);
    expect(await framesOf(result)).toEqual(await framesOf(new Uint8Array(file)));
    expect(result.length).toBeLessThan(file.byteLength * 1.03);
  });

  it("keeps 16 bits where they are used, and only there", async () => {
    expect(png.read.factsOf(await recompressed(rgb16)).depth).toBe(48);
    // The same picture interlaced or not is the same file in the end.
    expect(await recompressed(rgb16Adam7)).toEqual(await recompressed(rgb16));
  });

  it("keeps a profile, and the kind of samples that it is made for", async () => {
    const gray = await png.write.encode(
      pictureOf([paint(20, 20, (x) => [x, x, x, 255])]),
      {
        lossless: true,
        quality: 100,
        progressive: false,
        effort: 0.5,
      },
      UNPAUSED,
    );
    expect(png.read.factsOf(gray).colorspace).toBe("Gray");
    const rgb = withChunk(new Uint8Array(palette8), "iCCP", PROFILE);
    const result = await recompressed(rgb);
    expect(png.read.factsOf(result).profile).toEqual(new Uint8Array(displayP3));
    expect(png.read.factsOf(await recompressed(withChunk(gray, "iCCP", PROFILE))).colorspace).toBe("Gray");
  });

  it("drops what changes no pixel", async () => {
    const text = new TextEncoder().encode("Comment\0a long text that nobody sees".repeat(50));
    expect(await recompressed(withChunk(new Uint8Array(palette8), "tEXt", text))).toEqual(await recompressed(palette8));
  });
});
