/** A damaged file never shows what an earlier picture left in memory. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../../src/image/codec/writer.ts";
import { type FormatName, FORMATS } from "../../../src/image/formats.ts";
import { firstFrame } from "../../../src/image/pixels/picture.ts";
import { planSteps, storedSize } from "../../../src/image/plan/plan.ts";
import { pictureOf as pipelineOf } from "../../../src/image/plan/planned-picture.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
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
    const facts = format.read.factsOf(bytes);
    if (facts.width * facts.height > 4 * SIDE * SIDE) return null;
    return await drain(
      await firstFrame(pipelineOf({ bytes, format, facts }, planSteps(storedSize(facts), [])), UNPAUSED),
    );
  } catch {
    return null;
  }
}

const SETTINGS: EncodeSettings = { lossless: false, quality: 90, progressive: false, effort: 0.1 };
/** Formats that are not written by the engine. */
const MADE: Partial<Record<FormatName, (pixels: Pixels) => Uint8Array>> = {
  bmp: (pixels) => bitmap(pixels, "file"),
  ico: icon,
  psd: layered,
  svg: drawn,
  tiff: striped,
};

async function encoded(name: FormatName, pixels: Pixels, settings: Partial<EncodeSettings>): Promise<Uint8Array> {
  const format: FormatDefinition = FORMATS[name];
  const made = MADE[name]?.(pixels);
  if (made) return made;
  if (!format.write) throw new Error(`${name} is not written here`);
  return format.write.encode(pictureOf([pixels]), { ...SETTINGS, ...settings }, UNPAUSED);
}

/** Numbers of so many bytes each, the lowest byte first. */
function little(bytes: 2 | 4, ...numbers: readonly number[]): number[] {
  return numbers.flatMap((number) => Array.from({ length: bytes }, (_, at) => (number >>> (8 * at)) & 255));
}

/** A bitmap of 32 bits a pixel, with the header of a file or as an icon has it, behind which a mask follows. */
function bitmap({ data }: Pixels, where: "file" | "icon"): Uint8Array {
  const maskBytes = where === "icon" ? (SIDE * SIDE) / 8 : 0;
  const header = [...little(4, 40, SIDE, where === "icon" ? 2 * SIDE : SIDE), ...little(2, 1, 32)];
  const head = [...header, ...little(4, 0, data.length + maskBytes, 0, 0, 0, 0)];
  const file = where === "file" ? [0x42, 0x4d, ...little(4, 14 + head.length + data.length, 0, 14 + head.length)] : [];
  const rows = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const y = SIDE - 1 - Math.floor(at / (SIDE * 4));
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4);
    rows.set([blue, green, red, alpha], y * SIDE * 4 + (at % (SIDE * 4)));
  }
  return Uint8Array.from([...file, ...head, ...rows, ...new Uint8Array(maskBytes)]);
}

function icon(pixels: Pixels): Uint8Array {
  const content = bitmap(pixels, "icon");
  const entry = [SIDE, SIDE, 0, 0, ...little(2, 1, 32), ...little(4, content.length, 22)];
  return Uint8Array.from([...little(2, 0, 1, 1), ...entry, ...content]);
}

/** The merged picture of a Photoshop file, RGB, as it is. */
function layered({ data }: Pixels): Uint8Array {
  const head = [0x38, 0x42, 0x50, 0x53, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, SIDE, 0, 0, 0, SIDE, 0, 8, 0, 3];
  const planes = [0, 1, 2].flatMap((channel) => Array.from(data).filter((_, at) => at % 4 === channel));
  return Uint8Array.from([...head, ...little(4, 0, 0, 0), 0, 0, ...planes]);
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

/** Files that decoders treat apart. */
const KINDS: readonly (readonly [what: string, name: FormatName, settings: Partial<EncodeSettings>])[] = [
  ["progressive", "jpeg", { progressive: true }],
  ["without loss", "webp", { lossless: true, quality: 100 }],
  ["without loss", "jpeg2000", { lossless: true, quality: 100 }],
];
const WHOLE = (Object.keys(FORMATS) as FormatName[]).map((name) => ["as it is", name, {}] as const);

describe.each([...WHOLE, ...KINDS])("a damaged file after a picture, %s: %s", (_what, name, settings) => {
  it("shows nothing of it", async () => {
    const [before, file] = [await encoded(name, PATTERN, settings), await encoded(name, GRAY, settings)];
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
