/**
 * Photographs of 12 to 101 megapixels with the detail of a photograph: one of yours, `PHOTOS=a.jpg`, repeated in mirror
 * image, as JPEG of quality 90. They are made once, on Node, and kept.
 */
import { given } from "./given.ts";

const FOLDER = ".wrangler/bench/photos";
const TILE = { width: 4_000, height: 3_000 };
const SIZES = { 12: [4_000, 3_000], 24: [6_000, 4_000], 48: [8_000, 6_000], 101: [11_600, 8_700] } as const;

export type Megapixels = keyof typeof SIZES;
export type Kind = "baseline" | "progressive";

/** The path of a photograph in the repository. */
export function photoPath(megapixels: Megapixels, kind: Kind): string {
  return `${FOLDER}/${megapixels}-${kind}.jpg`;
}

/** Makes the photographs that are not there yet. */
export async function preparePhotos(): Promise<void> {
  const [{ existsSync }, { mkdir, writeFile }, path, { ROOT }] = await Promise.all([
    import("node:fs"),
    import("node:fs/promises"),
    import("node:path"),
    import("../../src/cli/wrangler.ts"),
  ]);
  const sizes = Object.keys(SIZES).map((name) => Number(name) as Megapixels);
  if (sizes.every((size) => existsSync(path.join(ROOT, photoPath(size, "progressive"))))) return;
  const [photo] = given("PHOTOS");
  const { default: sharp } = await import("sharp");
  const tile = await sharp(photo)
    .rotate()
    .resize({ ...TILE, fit: "cover" })
    .removeAlpha()
    .raw()
    .toBuffer();
  await mkdir(path.join(ROOT, FOLDER), { recursive: true });
  for (const size of sizes) {
    const [width, height] = SIZES[size];
    const raw = { width, height, channels: 3 } as const;
    const large = sharp(mirrored(tile, width, height), { raw, limitInputPixels: false });
    for (const kind of ["baseline", "progressive"] as const) {
      const progressive = kind === "progressive";
      await writeFile(
        path.join(ROOT, photoPath(size, kind)),
        await large.clone().jpeg({ quality: 90, progressive }).toBuffer(),
      );
    }
  }
}

function mirrored(tile: Uint8Array, width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 3);
  const from = (at: number, length: number) =>
    Math.floor(at / length) % 2 === 0 ? at % length : length - 1 - (at % length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const source = (from(y, TILE.height) * TILE.width + from(x, TILE.width)) * 3;
      pixels.set(tile.subarray(source, source + 3), (y * width + x) * 3);
    }
  }
  return pixels;
}
