/** What is left of JPEG files that are cut short or damaged in their scans, where that is wanted. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { jpegModule } from "../../../../wasm/jpeg/instance.ts";
import { heapOf } from "../../../../wasm/load.ts";
import { JPEG_FILES, jpegFile } from "../../../support/jpeg-files.ts";
import { drain, pictureOf, scene } from "../../../support/rows.ts";

const SETTINGS = { lossless: false, quality: 85, effort: 0.5 };

async function open(bytes: Uint8Array, shows = true, part = 1) {
  const facts = { ...jpeg.read.factsOf(bytes), ...(shows && { showsDamage: true as const }) };
  const { width, height } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width: width * part, height: height * part };
  for await (const decoded of jpeg.read.open(bytes, facts, demand, UNPAUSED)) return await drain(decoded.rows);
  throw new Error("no frame");
}

/** Where the first scan begins: what is cut before it has no picture. */
function firstScan(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte, index) => byte === 0xff && bytes[index + 1] === 0xda);
  return at + 2 + new DataView(bytes.buffer, bytes.byteOffset).getUint16(at + 2);
}

const madeBy = (progressive: boolean) =>
  jpeg.write.encode(pictureOf([scene(160, 240)]), { ...SETTINGS, progressive }, UNPAUSED);

/** Rows at the top that two pictures of one width have in common. */
function sameRows(one: Uint8Array, other: Uint8Array, width: number): number {
  const differs = one.findIndex((value, index) => value !== other[index]);
  return Math.floor((differs < 0 ? one.length : differs) / (4 * width));
}

describe("a JPEG file that is cut short", () => {
  it.each([0.2, 0.5, 0.9])("keeps its upper rows, and is gray below: baseline, %s of its scan", async (share) => {
    const bytes = await madeBy(false);
    const from = firstScan(bytes);
    const cut = bytes.subarray(0, from + Math.floor((bytes.length - from) * share));
    await expect(open(cut, false)).rejects.toThrow(/cut short.*input\.damaged: "show"/);
    const [whole, shown] = [await open(bytes), await open(cut)];
    expect(shown).toMatchObject({ width: 160, height: 240 });
    const same = sameRows(shown.data, whole.data, 160);
    // Detail is not the same everywhere: about that share of the rows, of which 16 lie in one row of blocks.
    expect(same).toBeGreaterThan(240 * share * 0.6 - 16);
    expect(same).toBeLessThan(240);
    const last = [...shown.data.subarray(-4)];
    expect(last).toEqual([128, 128, 128, 255]);
  });

  it("keeps what its scans said until then: progressive, the more the later it ends", async () => {
    const bytes = await madeBy(true);
    const from = firstScan(bytes);
    const whole = await open(bytes);
    const losses: number[] = [];
    for (const share of [0.2, 0.5, 0.9]) {
      const cut = bytes.subarray(0, from + Math.floor((bytes.length - from) * share));
      await expect(open(cut, false)).rejects.toThrow(/cut short.*input\.damaged: "show"/);
      const { data } = await open(cut);
      losses.push(data.reduce((sum, value, at) => sum + (value - (whole.data[at] ?? 0)) ** 2, 0) / data.length);
    }
    expect(losses.toSorted((one, other) => other - one)).toEqual(losses);
    const [most = 0, middle = 0, least = 0] = losses;
    expect(most).toBeGreaterThan(middle * 1.2);
    expect(least).toBeGreaterThan(0);
    // A picture whose scans are all cut within one of them has all of the others in all rows: no part of it is gray.
    expect(least).toBeLessThan(100);
  });

  it("keeps the upper rows of a progressive file of one band", async () => {
    const bytes = jpegFile("progressive");
    const scans = [...bytes.keys()].filter((at) => bytes[at] === 0xff && bytes[at + 1] === 0xda);
    // The last scan is about brightness: rows above its end are as those of the whole file, chroma is complete.
    const last = scans.at(-1) ?? 0;
    const whole = await open(bytes);
    const same = await Promise.all(
      [0.2, 0.5, 0.9].map(async (share) => {
        const cut = bytes.subarray(0, last + 10 + Math.floor((bytes.length - last - 10) * share));
        return sameRows((await open(cut)).data, whole.data, whole.width);
      }),
    );
    expect(same.toSorted((one, other) => one - other)).toEqual(same);
    expect(new Set(same).size).toBe(same.length);
    expect(same[0]).toBeGreaterThan(7);
    expect(same[2]).toBeLessThan(whole.height);
  });

  it.each(Object.keys(JPEG_FILES))("is shown wherever it is cut, at every size: %s", async (name) => {
    const bytes = jpegFile(name);
    const { width, height } = await open(bytes, false);
    const step = Math.max(1, Math.floor(bytes.length / 150));
    for (let length = firstScan(bytes); length < bytes.length; length += step) {
      expect(await open(bytes.subarray(0, length))).toMatchObject({ width, height });
    }
    await open(bytes.subarray(0, firstScan(bytes) + 200), true, 0.1);
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it.each(Object.keys(JPEG_FILES))("is the same with and without, if it is whole: %s", async (name) => {
    expect(await open(jpegFile(name))).toEqual(await open(jpegFile(name), false));
  });

  it.each(Object.keys(JPEG_FILES))("is shown, or refused, whatever its scans say: %s", async (name) => {
    const bytes = jpegFile(name);
    const from = firstScan(bytes);
    let shown = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const changed = bytes.slice();
      for (let i = 1; i <= 3; i++) {
        const at = from + ((seed * 7919 * i) % (bytes.length - from));
        changed[at] = (changed[at] ?? 0) ^ (1 << ((seed + i) % 8));
      }
      try {
        await open(changed);
        shown++;
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }
    expect(shown).toBeGreaterThan(30);
    expect(heapOf(jpegModule).used).toBe(0);
  });

  it("is gray where a restart marker is missing, and goes on at the next", async () => {
    const bytes = jpegFile("restart");
    const markers = [...bytes.keys()].filter((at) => bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf8) === 0xd0);
    expect(markers.length).toBeGreaterThan(4);
    const [one, next] = markers.slice(markers.length >> 1);
    const torn = Uint8Array.from([...bytes.subarray(0, one), ...bytes.subarray(next)]);
    await expect(open(torn, false)).rejects.toThrow(/damaged/);
    const [whole, shown] = [await open(bytes), await open(torn)];
    const row = whole.width * 4;
    expect(shown.data.subarray(0, row * 16)).toEqual(whole.data.subarray(0, row * 16));
    expect(shown.data.subarray(-row)).toEqual(whole.data.subarray(-row));
    const changed = whole.data.filter((value, at) => value !== shown.data[at]).length;
    expect(changed).toBeGreaterThan(0);
    expect(changed / whole.data.length).toBeLessThan(3 / (markers.length + 1));
  });
});
