/** Pictures whose gain map is the picture itself: both are the same after everything that treats them alike. */
import { jpeg } from "../../src/image/formats/jpeg.ts";
import type { ChannelTerms, GainTerms } from "../../src/image/gain-map/terms.ts";
import { writeDirectories } from "../../src/image/metadata/directories.ts";
import { resample } from "../../src/image/steps/resample.ts";
import { decode } from "./jpeg-pixels.ts";
import { drain, paint, type Pixels, rowsOf, sample } from "./rows.ts";

export const CHANNEL: ChannelTerms = { min: 0, max: 2.5, gamma: 1, baseOffset: 1 / 64, alternateOffset: 1 / 64 };
export const TERMS: GainTerms = { channels: [CHANNEL], baseHeadroom: 0, alternateHeadroom: 2.5, inBaseColors: true };
const OTHER = { ...CHANNEL, min: -1, gamma: 0.5, baseOffset: 0 };
export const COLORED: GainTerms = { ...TERMS, channels: [CHANNEL, OTHER, { ...CHANNEL, max: 3.25 }] };

/** Gray that is elsewhere after every turn. */
export function gray(width: number, height: number): Pixels {
  return paint(width, height, (x, y) => {
    const [across, down] = [(x + 0.5) / width, (y + 0.5) / height];
    const disc = Math.hypot(across - 0.3, down - 0.7) < 0.2 ? 60 : 0;
    const level = Math.round(30 + 140 * across * (1 - 0.6 * down) + disc);
    return [level, level, level, 255];
  });
}

/** The mean difference between a map and the picture under it, in levels. */
export async function meanDifference(map: Pixels, picture: Pixels): Promise<number> {
  const shown = await scaled(picture, map);
  let sum = 0;
  for (let at = 0; at < map.data.length; at += 4) sum += Math.abs(sample(map.data, at) - sample(shown.data, at));
  return sum / (map.width * map.height);
}

/** Pixels at another size. */
function scaled(pixels: Pixels, { width, height }: { readonly width: number; readonly height: number }) {
  const box = { x: 0, y: 0, width: pixels.width, height: pixels.height };
  return drain(resample(rowsOf(pixels), { box, width, height, kernel: "linear" }));
}

/** EXIF data with maker notes that say by tags 33 and 48 how bright a picture gets. */
export function exifOfApple(room?: number, gain?: number, maker = "Apple iOS"): Uint8Array {
  const numbers = [
    [33, room],
    [48, gain],
  ].filter((entry): entry is [number, number] => entry[1] !== undefined);
  const notes = new Uint8Array(16 + 20 * numbers.length + 4);
  notes.set(new TextEncoder().encode(`${maker}\0\0\u0001MM`));
  const view = new DataView(notes.buffer);
  view.setUint16(14, numbers.length);
  for (const [index, [tag, value]] of numbers.entries()) {
    const [at, valueAt] = [16 + 12 * index, 16 + 12 * numbers.length + 4 + 8 * index];
    view.setUint16(at, tag);
    view.setUint16(at + 2, 10);
    view.setUint32(at + 4, 1);
    view.setUint32(at + 8, valueAt);
    view.setInt32(valueAt, Math.round(value * 1000));
    view.setInt32(valueAt + 4, 1000);
  }
  const field = { tag: 0x927c, type: 7, count: notes.length, value: notes };
  const below = new Map([[0x8769, { fields: [field], below: new Map() }]]);
  const exif = writeDirectories({ fields: [], below }, true, 1 << 16);
  if (!exif) throw new Error("there is nothing to write");
  return exif;
}

/** The gain map of a JPEG, and its pixels. @throws Error where it has none */
export function mapOf(file: Uint8Array) {
  const map = jpeg.gainMap.read(file);
  if (!map) throw new Error("the file has no gain map");
  return { ...map, pixels: decode(map.file) };
}
