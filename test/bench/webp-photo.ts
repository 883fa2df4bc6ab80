/** The picture of the WebP benches. */
import { webp } from "../../src/image/formats/webp.ts";
import { drain, paint, pictureOf, type Pixels } from "../support/rows.ts";

/** A photograph of 600 x 315, repeated in mirror images to 2,400 x 1,260. */
export function photo(file: Uint8Array): Pixels {
  const facts = webp.probe(file);
  const { width, height } = facts;
  const [tile] = Array.from(webp.open(file, facts, { box: { x: 0, y: 0, width, height }, width, height }), drained);
  if (!tile) throw new Error("no frame");
  const mirror = (at: number, size: number) => (Math.floor(at / size) % 2 ? size - 1 - (at % size) : at % size);
  return paint(4 * width, 4 * height, (x, y) => {
    const at = (mirror(y, height) * width + mirror(x, width)) * 4;
    const [red = 0, green = 0, blue = 0] = tile.data.subarray(at, at + 3);
    return [red, green, blue, 255];
  });
}

function drained({ rows }: { readonly rows: Parameters<typeof drain>[0] }): Pixels {
  return drain(rows);
}

export function encodePhoto(pixels: Pixels, lossless: boolean): Uint8Array {
  return webp.encode(pictureOf([pixels]), { lossless, quality: 80, progressive: false, effort: 0.5 });
}

/** The class that the other package makes its results of; neither Node nor the runtime of the service has it. */
export function provideImageData(): void {
  const make = function (this: object, data: Uint8ClampedArray, width: number, height: number): void {
    Object.assign(this, { data, width, height });
  };
  Object.assign(globalThis, { ImageData: make });
}
