/** The picture of the WebP benches. */
import { webp } from "../../src/image/formats/webp.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { decodeFile } from "../support/files.ts";
import { paint, pictureOf, type Pixels } from "../support/rows.ts";

/** A photograph of 600 x 315, repeated in mirror images to 2,400 x 1,260. */
export async function photo(file: Uint8Array): Promise<Pixels> {
  const tile = await decodeFile(webp, file);
  const { width, height } = tile;
  const mirror = (at: number, size: number) => (Math.floor(at / size) % 2 ? size - 1 - (at % size) : at % size);
  return paint(4 * width, 4 * height, (x, y) => {
    const at = (mirror(y, height) * width + mirror(x, width)) * 4;
    const [red = 0, green = 0, blue = 0] = tile.data.subarray(at, at + 3);
    return [red, green, blue, 255];
  });
}

export async function encodePhoto(pixels: Pixels, lossless: boolean): Promise<Uint8Array> {
  return webp.write.encode(pictureOf([pixels]), { lossless, quality: 80, progressive: false, effort: 0.5 }, UNPAUSED);
}

/** The class that the other package makes its results of; neither Node nor the runtime of the service has it. */
export function provideImageData(): void {
  const make = function (this: object, data: Uint8ClampedArray, width: number, height: number): void {
    Object.assign(this, { data, width, height });
  };
  Object.assign(globalThis, { ImageData: make });
}
