/** Large pictures of every format that is read, made from a photograph: `PHOTOS=a.jpg`. */
import sharp, { type Sharp } from "sharp";

import { pictureOf } from "../support/rows.ts";
import { photoshopFile } from "./estimate-files.ts";
import { fileOf, moving, part, pixelsIn } from "./estimate-pictures.ts";
import { given } from "./given.ts";

type Make = () => Promise<Uint8Array<ArrayBuffer>>;

const LARGE = [4_000, 3_000] as const;

function scaled([width, height]: readonly [number, number]): Sharp {
  const [photo] = given("PHOTOS");
  return sharp(photo).rotate().resize({ width, height, fit: "cover" });
}

async function packed(picture: Sharp): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await picture.toBuffer());
}

async function pixels(size: readonly [number, number]) {
  const [photo] = given("PHOTOS");
  return part(await pixelsIn(photo), { width: size[0], height: size[1] });
}

export const made: Readonly<Record<string, Make>> = {
  "made/12-megapixels.jpg": () => packed(scaled(LARGE).jpeg({ quality: 88 })),
  "made/12-megapixels-progressive.jpg": () => packed(scaled(LARGE).jpeg({ quality: 88, progressive: true })),
  "made/24-megapixels.jpg": () => packed(scaled([6_000, 4_000]).jpeg({ quality: 88 })),
  "made/12-megapixels.png": () => packed(scaled(LARGE).blur(4).png()),
  "made/6-megapixels-interlaced.png": () => packed(scaled([3_000, 2_000]).png({ progressive: true })),
  "made/12-megapixels.webp": () => packed(scaled(LARGE).webp({ effort: 0 })),
  "made/3-megapixels-exact.webp": () => packed(scaled([2_000, 1_500]).webp({ lossless: true, effort: 0 })),
  "made/12-megapixels.avif": () => packed(scaled(LARGE).avif({ effort: 0, quality: 50 })),
  "made/8-megapixels-lzw.tif": () => packed(scaled([3_264, 2_448]).tiff({ compression: "lzw" })),
  "made/3-megapixels.gif": () => packed(scaled([2_000, 1_500]).gif({ effort: 1 })),
  "made/6-megapixels.jp2": async () => copy(await fileOf("jpeg2000", pictureOf([await pixels([3_000, 2_000])]))),
  "made/6-megapixels.jxl": async () => copy(await fileOf("jxl", pictureOf([await pixels([3_000, 2_000])]))),
  "made/6-megapixels.heic": async () => copy(await fileOf("heic", pictureOf([await pixels([3_000, 2_000])]))),
  "made/6-megapixels.psd": async () => copy(photoshopFile(await pixels([3_000, 2_000]), { mode: "rgb", depth: 8 })),
  "made/6-megapixels-Lab.psd": async () =>
    copy(photoshopFile(await pixels([3_000, 2_000]), { mode: "lab", depth: 16 })),
  "made/drawing-of-3,000-things.svg": async () => drawn(3_000),
  "made/film-of-40-frames.gif": () => film("gif"),
  "made/film-of-40-frames.webp": () => film("webp"),
  "made/film-of-40-frames.png": () => film("png"),
  "made/film-of-40-frames.avif": () => film("avif"),
};

/** A page of so many drawn things, with gradients, letters and a blur, as an SVG. */
function drawn(things: number): Uint8Array<ArrayBuffer> {
  const parts = Array.from({ length: things }, (_, index) => {
    const [x, y] = [(index * 137) % 4_000, (index * 251) % 3_000];
    const color = `hsl(${(index * 29) % 360} 60% 50%)`;
    if (index % 3 === 0) return `<path d="M${x} ${y}q80 ${index % 90} 160 0t90 120z" fill="${color}" opacity=".7"/>`;
    if (index % 3 === 1) return `<circle cx="${x}" cy="${y}" r="${20 + (index % 70)}" fill="url(#g)"/>`;
    return `<text x="${x}" y="${y}" font-size="${12 + (index % 40)}" fill="${color}">Line ${index}</text>`;
  });
  const gradient =
    '<linearGradient id="g"><stop stop-color="#fff"/><stop offset="1" stop-color="#36c"/></linearGradient>';
  const blur = '<filter id="b"><feGaussianBlur stdDeviation="12"/></filter>';
  const blurred = '<g filter="url(#b)"><rect x="500" y="500" width="2500" height="1500" fill="#c63"/></g>';
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="3000">${gradient}${blur}${blurred}${parts.join("")}</svg>`;
  return copy(new TextEncoder().encode(text));
}

async function film(name: "gif" | "webp" | "png" | "avif"): Promise<Uint8Array<ArrayBuffer>> {
  return copy(await fileOf(name, moving(await pixels([800, 600]), { width: 640, height: 480 }, 40, true)));
}

function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
