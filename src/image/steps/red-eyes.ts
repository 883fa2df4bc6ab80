/** Red pupils: found on a small version of the picture, corrected on the large one. */
import { type Eye, openEyes, pointwisePeakBytes } from "../../../wasm/effects/colors.ts";
import { effectStep } from "../effect.ts";
import type { Size } from "../geometry.ts";
import type { Step } from "../operation.ts";
import type { Rows } from "../rows.ts";

const OTHER = 0;
const SKIN = 1;
const RED = 2;

/** Of a pupil, in parts of the picture's longest side; and in pixels, below which a circle cannot be told. */
const MAX_PUPIL = 0.06;
const MIN_PUPIL_PIXELS = 3;

interface Colors extends Size {
  /** OTHER, SKIN or RED for each pixel. */
  readonly kinds: Uint8Array;
}

/**
 * Makes red pupils dark. Only what is surely one is touched: a round, strongly red spot in the midst of skin, and only
 * as one of a pair of about the same size, side by side at the distance that eyes have. Reads `rows` to their end.
 */
export function redEyeSteps(size: Size, rows: Rows): Step[] {
  const scale = size.width / rows.width;
  const pupils = pairs(spots(classify(rows)));
  if (pupils.length === 0) return [];
  const { width, height } = size;
  const eyes = pupils.map(({ x, y, radius }) => ({ x: x * scale, y: y * scale, radius: radius * scale }));
  const peakBytes = pointwisePeakBytes(width) + eyes.length * 12;
  return [effectStep({ width, height, peakBytes, open: () => openEyes(width, height, eyes) })];
}

function classify(rows: Rows): Colors {
  const { width, height } = rows;
  const kinds = new Uint8Array(width * height);
  let index = 0;
  try {
    for (let band = rows.read(16); band; band = rows.read(16)) {
      for (let at = 0; at < band.length; at += 4) kinds[index++] = kindOf(band[at]!, band[at + 1]!, band[at + 2]!);
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

/** Round red spots of the size of pupils, with skin around them. */
function spots(colors: Colors): Eye[] {
  const { width, height, kinds } = colors;
  const seen = new Uint8Array(kinds.length);
  const largest = MAX_PUPIL * Math.max(width, height);
  const found: Eye[] = [];
  for (let start = 0; start < kinds.length; start++) {
    if (kinds[start] !== RED || seen[start]) continue;
    const spot = fill(colors, seen, start);
    const [across, down] = [spot.right - spot.left + 1, spot.bottom - spot.top + 1];
    const round = Math.max(across, down) <= 1.6 * Math.min(across, down) && spot.count >= 0.55 * across * down;
    if (!round || Math.min(across, down) < MIN_PUPIL_PIXELS || Math.max(across, down) > largest) continue;
    const eye = {
      x: (spot.left + spot.right + 1) / 2,
      y: (spot.top + spot.bottom + 1) / 2,
      radius: (across + down) / 4,
    };
    if (isInSkin(colors, eye)) found.push(eye);
  }
  return found;
}

/** The connected red area around a pixel. */
function fill({ width, height, kinds }: Colors, seen: Uint8Array, start: number) {
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

/** Next to a pupil is the rest of the eye; further out, at three to five times its radius, mostly skin. */
function isInSkin({ width, height, kinds }: Colors, { x, y, radius }: Eye): boolean {
  const near = [0, 0, 0];
  const far = [0, 0, 0];
  for (let row = Math.max(0, Math.floor(y - 5 * radius)); row < Math.min(height, y + 5 * radius); row++) {
    for (let column = Math.max(0, Math.floor(x - 5 * radius)); column < Math.min(width, x + 5 * radius); column++) {
      const distance = Math.hypot(column + 0.5 - x, row + 0.5 - y) / radius;
      const counts = distance > 3 && distance < 5 ? far : distance > 1.4 && distance < 2 ? near : undefined;
      if (counts) counts[kinds[row * width + column]!]!++;
    }
  }
  const share = (counts: readonly number[], kind: number) =>
    counts[kind]! /
    Math.max(
      1,
      counts.reduce((sum, count) => sum + count, 0),
    );
  return share(far, SKIN) > 0.5 && share(far, RED) < 0.05 && share(near, OTHER) > 0.25 && share(near, RED) < 0.2;
}

/** Spots that have a partner: of similar size, about level with it, six to thirty radii away. */
function pairs(found: readonly Eye[]): Eye[] {
  return found.filter((eye) =>
    found.some((partner) => {
      const larger = Math.max(eye.radius, partner.radius);
      const [across, down] = [Math.abs(eye.x - partner.x), Math.abs(eye.y - partner.y)];
      const distance = Math.hypot(across, down) / larger;
      return (
        larger < 1.7 * Math.min(eye.radius, partner.radius) && distance > 6 && distance < 30 && down < 0.7 * across
      );
    }),
  );
}
