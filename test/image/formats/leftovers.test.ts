/** A damaged file never shows what an earlier picture left in memory. */
import { describe, expect, it } from "vitest";

import { UNPAUSED } from "../../../src/image/breath.ts";
import type { EncodeSettings, FormatDefinition } from "../../../src/image/format.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { firstFrame } from "../../../src/image/picture.ts";
import { pictureOf as pipelineOf } from "../../../src/image/pipeline.ts";
import { planSteps, storedSize } from "../../../src/image/plan.ts";
import { mutations } from "../../support/files.ts";
import { drain, type Pixels, pictureOf } from "../../support/rows.ts";

const SIDE = 192;
/** Edge of a square of the pattern, pixels: large enough to survive subsampled chroma. */
const SQUARE = 16;
/** Colors that no gray picture has. */
const COLORS = [
  [214, 24, 96],
  [24, 176, 208],
  [232, 120, 16],
  [72, 24, 160],
] as const;
/** How far a color may be off, a channel: lossy formats move it. */
const NEAR = 14;
/** Pixels of one color of the pattern that a damaged gray picture may show by chance. */
const BY_CHANCE = SQUARE * SQUARE;

function picture(colorAt: (x: number, y: number) => readonly number[]): Pixels {
  const data = new Uint8Array(SIDE * SIDE * 4).fill(255);
  for (let y = 0; y < SIDE; y++) for (let x = 0; x < SIDE; x++) data.set(colorAt(x, y), (y * SIDE + x) * 4);
  return { width: SIDE, height: SIDE, data };
}

const PATTERN = picture((x, y) => COLORS[(Math.floor(x / SQUARE) + 3 * Math.floor(y / SQUARE)) % 4] ?? COLORS[0]);
const GRAY = picture((x, y) => {
  const level = (x * 3 + y * 5 + ((x * y) % 7)) & 255;
  return [level, level, level];
});

/** How many colors of the pattern cover more of a picture than chance does. */
function shownOf({ data }: Pixels): number {
  const shown = COLORS.map((color) => {
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (color.every((level, channel) => Math.abs((data[at + channel] ?? 0) - level) <= NEAR)) count++;
    }
    return count > BY_CHANCE;
  });
  return shown.filter(Boolean).length;
}

/** The picture that a file shows; null when it is refused. */
async function shown(name: FormatName, bytes: Uint8Array): Promise<Pixels | null> {
  const format: FormatDefinition = FORMATS[name];
  try {
    const facts = format.read.probe(bytes);
    if (facts.width * facts.height > 4 * SIDE * SIDE) return null;
    return await drain(
      await firstFrame(pipelineOf({ bytes, format, facts }, planSteps(storedSize(facts), [])), UNPAUSED),
    );
  } catch {
    return null;
  }
}

const SETTINGS: EncodeSettings = { lossless: false, quality: 90, progressive: false, effort: 0.1 };

async function encoded(name: FormatName, pixels: Pixels): Promise<Uint8Array> {
  const format: FormatDefinition = FORMATS[name];
  if (format.write) return format.write.encode(pictureOf([pixels]), SETTINGS, UNPAUSED);
  if (name === "svg") return drawn(pixels);
  if (name === "tiff") return striped(pixels);
  throw new Error(`${name} is not written here`);
}

/** A drawing of the squares. */
function drawn({ data }: Pixels): Uint8Array {
  const squares: string[] = [];
  for (let y = 0; y < SIDE; y += SQUARE) {
    for (let x = 0; x < SIDE; x += SQUARE) {
      const at = (y * SIDE + x) * 4;
      squares.push(
        `<path fill="rgb(${[...data.subarray(at, at + 3)].join()})" d="M${x} ${y}h${SQUARE}v${SQUARE}h-${SQUARE}z"/>`,
      );
    }
  }
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">${squares.join("")}</svg>`;
  return new TextEncoder().encode(text);
}

/** TIFF 6.0, RGB in one strip, as it is. */
function striped({ data }: Pixels): Uint8Array {
  const colors = data.filter((_, at) => at % 4 !== 3);
  const entries = [
    [256, 3, 1, SIDE],
    [257, 3, 1, SIDE],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [273, 4, 1, 122],
    [277, 3, 1, 3],
    [278, 3, 1, SIDE],
    [279, 4, 1, colors.length],
  ] as const;
  const file = new Uint8Array(122 + colors.length);
  const view = new DataView(file.buffer);
  file.set([0x49, 0x49, 42, 0, 8, 0, 0, 0, entries.length, 0]);
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + index * 12;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, count, true);
    view.setUint32(at + 8, value, true);
  }
  file.set(colors, 122);
  return file;
}

const FORMATS_HERE = ["jpeg", "png", "webp", "gif", "avif", "heic", "jpeg2000", "tiff", "svg"] as const;

describe.each(FORMATS_HERE)("a damaged file after a picture: %s", (name) => {
  it("shows nothing of it", async () => {
    const [before, file] = [await encoded(name, PATTERN), await encoded(name, GRAY)];
    const whole = await shown(name, before);
    expect(whole && shownOf(whole)).toBe(COLORS.length);
    const gray = await shown(name, file);
    expect(gray && shownOf(gray)).toBe(0);
    const damaged: Uint8Array[] = [0.2, 0.4, 0.6, 0.8, 0.95].map((share) =>
      file.slice(0, Math.floor(file.length * share)),
    );
    damaged.push(...mutations(file, 60));
    for (const bytes of damaged) {
      await shown(name, before);
      const result = await shown(name, bytes);
      if (result) expect(shownOf(result)).toBeLessThan(2);
    }
  });
});
