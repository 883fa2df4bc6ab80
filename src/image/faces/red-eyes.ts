/** Red pupils: found on a small version of the picture, corrected on the large one. */
import { type Eye, eyesEstimate, openEyes } from "../../../wasm/effects/colors.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { BAND_ROWS } from "../pixels/bands.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import { effectStep } from "../steps/effect.ts";
import type { Step } from "../steps/operation.ts";
import { findFaces } from "./detect.ts";

const OTHER = 0;
const SKIN = 1;
const RED = 2;

/**
 * The widest pupil, in parts of the picture's longest side, and the narrowest, in pixels: below it a circle cannot be
 * told.
 */
const MAX_PUPIL = 0.06;
const MIN_PUPIL_PIXELS = 3;

/** Spots that may be pupils: more are found in no photograph, and every two of them are compared. */
const MAX_SPOTS = 300;

/** To tell what kind a pixel is of, to join it to a spot, and to count it among the surroundings of one. */
const KIND_NANOSECONDS = 5;
const JOIN_NANOSECONDS = 40;
const COUNT_NANOSECONDS = 12;

interface Spot extends Eye {
  readonly inSkin: boolean;
}

interface Surroundings {
  readonly near: (kind: number) => number;
  readonly far: (kind: number) => number;
}

interface Colors extends Size {
  /** OTHER, SKIN or RED for each pixel. */
  readonly kinds: Uint8Array;
}

/**
 * Makes red pupils dark. Only what is surely one is touched: a round, strongly red spot, as one of a pair of about the
 * same size, side by side, that lies in the midst of skin like the whites of eyes do, or where a face has its eyes.
 * @param look opens a small version of the picture
 */
export async function redEyeSteps(size: Size, look: () => Promise<Rows>, timeSlice: TimeSlice): Promise<Step[]> {
  const rows = await look();
  const scale = size.width / rows.width;
  const pupils = await findRedEyes(rows, async () => findFaces(await look(), timeSlice), timeSlice);
  if (pupils.length === 0) return [];
  const eyes = pupils.map(({ x, y, radius }) => ({ x: x * scale, y: y * scale, radius: radius * scale }));
  return [effectStep(size, { estimate: eyesEstimate(size, eyes), open: () => openEyes(size, eyes) })];
}

/** The red pupils in a picture, in its pixels. Reads `rows` to their end; asks for `faces` only when it has to. */
export async function findRedEyes(
  rows: Rows,
  faces: () => Promise<readonly Box[]>,
  timeSlice: TimeSlice,
): Promise<Eye[]> {
  const found = await spots(await classify(rows, timeSlice), timeSlice);
  const sure = pairs(found.filter(({ inSkin }) => inSkin)).flat();
  const doubtful = pairs(found).filter((pair) => !pair.some((eye) => sure.includes(eye)));
  if (doubtful.length === 0) return [...new Set(sure)];
  const placed = (await faces()).flatMap((face) => eyesOf(face, doubtful));
  return [...new Set([...sure, ...placed])];
}

async function classify(rows: Rows, timeSlice: TimeSlice): Promise<Colors> {
  const { width, height } = rows;
  const kinds = new Uint8Array(width * height);
  let index = 0;
  try {
    for (let band = await rows.read(BAND_ROWS); band; band = await rows.read(BAND_ROWS)) {
      for (let at = 0; at < band.length; at += 4) kinds[index++] = kindOf(band[at]!, band[at + 1]!, band[at + 2]!);
      await timeSlice.spend((width * BAND_ROWS * KIND_NANOSECONDS) / 1e6);
    }
  } finally {
    rows.close();
  }
  return { width, height, kinds };
}

function kindOf(red: number, green: number, blue: number): number {
  const other = Math.max(green, blue);
  if (red > 70 && red > 1.7 * other) return RED;
  const skin = red > 50 && red > 1.04 * green && red < 1.9 * green && green > 0.8 * blue && red > 1.1 * blue;
  return skin ? SKIN : OTHER;
}

/** Round red spots of the size of pupils, with hardly any red around them. */
async function spots(colors: Colors, timeSlice: TimeSlice): Promise<Spot[]> {
  const { width, height, kinds } = colors;
  const seen = new Uint8Array(kinds.length);
  const largest = MAX_PUPIL * Math.max(width, height);
  const found: Spot[] = [];
  for (let start = 0; start < kinds.length && found.length < MAX_SPOTS; start++) {
    if (kinds[start] !== RED || seen[start]) continue;
    const spot = joined(colors, seen, start);
    await timeSlice.spend((spot.count * JOIN_NANOSECONDS) / 1e6);
    const [across, down] = [spot.right - spot.left + 1, spot.bottom - spot.top + 1];
    const round = Math.max(across, down) <= 1.6 * Math.min(across, down) && spot.count >= 0.55 * across * down;
    if (!round || Math.min(across, down) < MIN_PUPIL_PIXELS || Math.max(across, down) > largest) continue;
    const eye = {
      x: (spot.left + spot.right + 1) / 2,
      y: (spot.top + spot.bottom + 1) / 2,
      radius: (across + down) / 4,
    };
    const around = surroundings(colors, eye);
    await timeSlice.spend(((10 * eye.radius) ** 2 * COUNT_NANOSECONDS) / 1e6);
    if (around.near(RED) < 0.3) found.push({ ...eye, inSkin: isInSkin(around) });
  }
  return found;
}

/** The connected red area around a pixel. */
function joined({ width, height, kinds }: Colors, seen: Uint8Array, start: number) {
  const spot = { left: width, right: 0, top: height, bottom: 0, count: 0 };
  const queue = [start];
  seen[start] = 1;
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    const [x, y] = [index % width, Math.floor(index / width)];
    spot.count++;
    spot.left = Math.min(spot.left, x);
    spot.right = Math.max(spot.right, x);
    spot.top = Math.min(spot.top, y);
    spot.bottom = Math.max(spot.bottom, y);
    const around = [x > 0 ? index - 1 : -1, x < width - 1 ? index + 1 : -1, index - width, index + width];
    for (const next of around) {
      if (next < 0 || next >= kinds.length || seen[next] || kinds[next] !== RED) continue;
      seen[next] = 1;
      queue.push(next);
    }
  }
  return spot;
}

/** The shares of each kind next to a spot, where the rest of the eye is, and at three to five times its radius. */
function surroundings({ width, height, kinds }: Colors, { x, y, radius }: Eye): Surroundings {
  const near = [0, 0, 0];
  const far = [0, 0, 0];
  for (let row = Math.max(0, Math.floor(y - 5 * radius)); row < Math.min(height, y + 5 * radius); row++) {
    for (let column = Math.max(0, Math.floor(x - 5 * radius)); column < Math.min(width, x + 5 * radius); column++) {
      const distance = Math.hypot(column + 0.5 - x, row + 0.5 - y) / radius;
      const counts = distance > 3 && distance < 5 ? far : distance > 1.4 && distance < 2 ? near : undefined;
      if (counts) counts[kinds[row * width + column]!]!++;
    }
  }
  const shares = (counts: readonly number[]) => {
    const sum = counts.reduce((total, count) => total + count, 0);
    return (kind: number) => counts[kind]! / Math.max(1, sum);
  };
  return { near: shares(near), far: shares(far) };
}

function isInSkin({ near, far }: Surroundings): boolean {
  return far(SKIN) > 0.5 && far(RED) < 0.05 && near(OTHER) > 0.25 && near(RED) < 0.2;
}

/** Spots of similar size, about level with each other, six to thirty radii apart. */
function pairs(found: readonly Spot[]): [Spot, Spot][] {
  return found.flatMap((eye, index) =>
    found.slice(index + 1).flatMap((partner): [Spot, Spot][] => {
      const larger = Math.max(eye.radius, partner.radius);
      const [across, down] = [Math.abs(eye.x - partner.x), Math.abs(eye.y - partner.y)];
      const distance = Math.hypot(across, down) / larger;
      const alike = larger < 1.7 * Math.min(eye.radius, partner.radius);
      return alike && distance > 6 && distance < 30 && down < 0.7 * across ? [[eye, partner]] : [];
    }),
  );
}

/**
 * The pair that lies where a face has its eyes, if one does; of several the one that is most as eyes are. Measured on
 * the faces of the bench `red-eyes`, with some room.
 */
function eyesOf({ x, y, width, height }: Box, found: readonly (readonly [Spot, Spot])[]): readonly Spot[] {
  const placed = found.flatMap((pair) => {
    const [a, b] = pair;
    const apart = Math.hypot(a.x - b.x, a.y - b.y) / width;
    const across = ((a.x + b.x) / 2 - x) / width;
    const down = ((a.y + b.y) / 2 - y) / height;
    const inPlace = apart > 0.25 && apart < 0.65 && across > 0.25 && across < 0.75 && down > 0.2 && down < 0.6;
    const unlike = Math.abs(Math.log(a.radius / b.radius)) + Math.abs(a.y - b.y) / (width * apart);
    const odd = unlike + Math.abs(apart - 0.43) + Math.abs(across - 0.5) + Math.abs(down - 0.4);
    return inPlace ? [{ pair, odd }] : [];
  });
  const [best] = placed.toSorted((one, other) => one.odd - other.odd);
  return best?.pair ?? [];
}
