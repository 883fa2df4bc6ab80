/**
 * How many of the 64 bits of a picture's hash change when the picture is saved in another way, and how many differ between
 * pictures: `PICTURES="a.jpg b.png …" npm run bench -- phash`.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

import sharp, { type Sharp } from "sharp";

import { bitsBetween } from "../../src/account/alike.ts";
import { analyze } from "../../src/image/render/analyze.ts";
import { DEFAULT_ALIKE_BITS, MAX_ALIKE_BITS } from "../../src/limits/reuse.ts";
import { given } from "./given.ts";

const CHANGES: Readonly<Record<string, (picture: Sharp, width: number) => Sharp>> = {
  "to 400 pixels": (picture) => picture.resize(400).png(),
  "to 100 pixels": (picture) => picture.resize(100).png(),
  "to 64 × 64, squeezed": (picture) => picture.resize(64, 64, { fit: "fill" }).png(),
  "JPEG of quality 60": (picture) => picture.jpeg({ quality: 60 }),
  "JPEG of quality 20": (picture) => picture.jpeg({ quality: 20 }),
  "WebP of quality 50": (picture) => picture.webp({ quality: 50 }),
  "AVIF of quality 40": (picture) => picture.resize(800).avif({ quality: 40, effort: 1 }),
  "10 % brighter": (picture) => picture.modulate({ brightness: 1.1 }).png(),
  "contrast 1.2": (picture) => picture.linear(1.2, -25).png(),
  "saturation 0.7": (picture) => picture.modulate({ saturation: 0.7 }).png(),
  gray: (picture) => picture.grayscale().png(),
  "gamma 1.2": (picture) => picture.gamma(1.2).png(),
  "blurred, and to 200 pixels": (picture) => picture.resize(200).blur(2).png(),
  "cut by 3 % on the right": (picture, width) => picture.extract(cut(width, 0.03, picture)).png(),
};

const heights = new WeakMap<Sharp, number>();
const cut = (width: number, share: number, picture: Sharp) => ({
  left: 0,
  top: 0,
  width: Math.max(1, Math.round(width * (1 - share))),
  height: heights.get(picture) ?? 1,
});

export async function main(): Promise<void> {
  const hashes = new Map<string, string>();
  const bits = new Map<string, number[]>();
  for (const path of given("PICTURES")) {
    const file = await sharp(readFileSync(path)).rotate().flatten({ background: "white" }).png().toBuffer();
    const { width, height } = await sharp(file).metadata();
    const whole = await hashOf(file);
    hashes.set(basename(path), whole);
    for (const [name, change] of Object.entries(CHANGES)) {
      const picture = sharp(file);
      heights.set(picture, height);
      const differ = bitsBetween(whole, await hashOf(await change(picture, width).toBuffer()));
      bits.set(name, [...(bits.get(name) ?? []), differ]);
    }
  }
  for (const [name, all] of bits) {
    const [few, more] = [DEFAULT_ALIKE_BITS, MAX_ALIKE_BITS].map((most) => all.filter((bits) => bits <= most).length);
    const mean = all.reduce((sum, count) => sum + count, 0) / all.length;
    console.log(`| ${name} | ${mean.toFixed(1)} | ${Math.max(...all)} | ${few} of ${all.length} | ${more} |`);
  }
  reportPairs(hashes);
}

function reportPairs(hashes: ReadonlyMap<string, string>): void {
  const all = [...hashes];
  const pairs = all.flatMap(([one, hash], index) =>
    all.slice(index + 1).map(([other, otherHash]) => ({ one, other, bits: bitsBetween(hash, otherHash) })),
  );
  const near = pairs.filter(({ bits }) => bits <= DEFAULT_ALIKE_BITS);
  console.log(`${pairs.length} pairs of different pictures, ${near.length} within ${DEFAULT_ALIKE_BITS} bits`);
  for (const { one, other, bits } of near) console.log(`  ${one} and ${other}: ${bits}`);
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const { phash = "" } = await analyze(new Uint8Array(bytes), ["phash"]);
  return phash;
}
