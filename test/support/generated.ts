/** Generated pictures of the kinds that people send: each is a function of its kind and its seed. */
import { paint, type Pixels } from "./rows.ts";

/** Numbers from 0 to 1 that only depend on the seed: a linear congruential generator, its upper bits. */
export function numbersFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / (1 << 24);
  };
}

type Color = readonly [number, number, number, number];

function colorOf(next: () => number, most = 255): Color {
  return [Math.floor(next() * most), Math.floor(next() * most), Math.floor(next() * most), 255];
}

/** Up to nine flat shapes on a flat ground. */
function drawing(width: number, height: number, next: () => number, shift = 0): Pixels {
  const ground = colorOf(next);
  const shapes = Array.from({ length: 1 + Math.floor(next() * 9) }, () => ({
    isRound: next() < 0.5,
    x: next() * width + shift,
    y: next() * height,
    across: (0.05 + next() * 0.35) * width,
    down: (0.05 + next() * 0.35) * height,
    color: colorOf(next),
  }));
  return paint(width, height, (x, y) => {
    const top = shapes.findLast(({ isRound, across, down, ...at }) => {
      const [dx, dy] = [(x - at.x) / across, (y - at.y) / down];
      return isRound ? dx * dx + dy * dy < 1 : Math.abs(dx) < 1 && Math.abs(dy) < 1;
    });
    return top?.color ?? ground;
  });
}

/** A slope from one color to another, in any direction. */
function gradient(width: number, height: number, next: () => number): Pixels {
  const [from, to] = [colorOf(next), colorOf(next)];
  const angle = next() * Math.PI;
  const [across, down] = [Math.cos(angle) / width, Math.sin(angle) / height];
  return paint(width, height, (x, y) => {
    const part = Math.min(1, Math.max(0, 0.5 + (x - width / 2) * across + (y - height / 2) * down));
    const mix = (at: number) => Math.round((from[at] ?? 0) * (1 - part) + (to[at] ?? 0) * part);
    return [mix(0), mix(1), mix(2), 255];
  });
}

/** Lines of letters that are nobody's, five dots wide and seven high. */
function text(width: number, height: number, next: () => number): Pixels {
  const [paper, ink] = [colorOf(next), colorOf(next)];
  const scale = 1 + Math.floor(next() * 3);
  const [letterWidth, letterHeight] = [7 * scale, 10 * scale];
  const letters = new Map<string, number>();
  return paint(width, height, (x, y) => {
    const place = `${Math.floor(x / letterWidth)} ${Math.floor(y / letterHeight)}`;
    let letter = letters.get(place);
    if (letter === undefined) letters.set(place, (letter = next() < 0.15 ? 0 : Math.floor(next() * 2 ** 31)));
    const [column, row] = [Math.floor((x % letterWidth) / scale), Math.floor((y % letterHeight) / scale)];
    const isInk = column < 5 && row < 7 && ((letter >>> ((row * 5 + column) % 31)) & 1) === 1;
    return isInk ? ink : paper;
  });
}

/** Slow waves between black and a dark gray, with a little grain. */
function dark(width: number, height: number, next: () => number): Pixels {
  const [across, down, most] = [20 + next() * 90, 20 + next() * 90, 4 + next() * 44];
  const grain = next() * 4;
  return paint(width, height, (x, y) => {
    const level = (most * (2 + Math.sin(x / across) + Math.cos(y / down))) / 4;
    const own = () => Math.max(0, Math.floor(level + (next() - 0.5) * grain));
    return [own(), own(), own(), 255];
  });
}

/** Any color anywhere. */
function noisy(width: number, height: number, next: () => number): Pixels {
  return paint(width, height, () => colorOf(next));
}

/** Waves of color with grain, as photographs have. */
function soft(width: number, height: number, next: () => number): Pixels {
  const waves = Array.from({ length: 3 }, () => ({ across: 8 + next() * 60, down: 8 + next() * 60, at: next() * 6 }));
  const grain = 4 + next() * 24;
  return paint(width, height, (x, y) => {
    const levels = waves.map((wave) => 128 + 90 * Math.sin(x / wave.across + wave.at) * Math.cos(y / wave.down));
    const own = (at: number) => Math.min(255, Math.max(0, Math.floor((levels[at] ?? 0) + (next() - 0.5) * grain)));
    return [own(0), own(1), own(2), 255];
  });
}

/** A picture with a hole: soft edges into what can be seen through. */
function translucent(width: number, height: number, next: () => number): Pixels {
  const { data } = drawing(width, height, next);
  const [x0, y0, edge] = [next() * width, next() * height, 1 + next() * 30];
  return paint(width, height, (x, y) => {
    const at = (y * width + x) * 4;
    const distance = Math.hypot(x - x0, y - y0) - Math.min(width, height) / 3;
    const alpha = Math.round(255 * Math.min(1, Math.max(0, distance / edge)));
    return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, alpha];
  });
}

const STILLS = { drawing, gradient, text, dark, noisy, soft, translucent };
const MOVING = { slides: "slides", moving: "moving" } as const;

export type Kind = keyof typeof STILLS | keyof typeof MOVING;

export const KINDS = [...Object.keys(STILLS), ...Object.keys(MOVING)] as readonly Kind[];

/** How large pictures are: up to 264 pixels a side, or from there to 4,000 with a million pixels in all their frames. */
export type Scale = "small" | "large";

const SMALL_SIDE = 264;
const LARGE_SIDE = 4_000;
const LEAST_SIDE = 16;
const MOST_PIXELS = 1_000_000;
const MOST_FRAMES = 6;

function sizeOf(scale: Scale, frames: number, next: () => number): readonly [width: number, height: number] {
  const side = () => 24 + Math.floor(next() ** 2 * (SMALL_SIDE - 24));
  if (scale === "small") return [side(), side()];
  const long = Math.round(SMALL_SIDE * (LARGE_SIDE / SMALL_SIDE) ** next());
  const most = Math.min(long, MOST_PIXELS / frames / long);
  const short = Math.round(LEAST_SIDE * (most / LEAST_SIDE) ** next());
  return next() < 0.5 ? [long, short] : [short, long];
}

/** The frames of a picture: one, unless its kind is an animation. */
export function generated(kind: Kind, seed: number, scale: Scale = "small"): readonly [Pixels, ...Pixels[]] {
  const next = numbersFrom(seed);
  const isStill = kind !== "slides" && kind !== "moving";
  const [width, height] = sizeOf(scale, isStill ? 1 : MOST_FRAMES, next);
  if (isStill) return [STILLS[kind](width, height, next)];
  const count = 2 + Math.floor(next() * (MOST_FRAMES - 1));
  const frameSeed = Math.floor(next() * 1e6);
  const frames = Array.from({ length: count }, (_, at) =>
    kind === "slides"
      ? drawing(width, height, numbersFrom(frameSeed + at))
      : drawing(width, height, numbersFrom(frameSeed), at * 5),
  );
  const [first = drawing(width, height, next), ...others] = frames;
  return [first, ...others];
}
