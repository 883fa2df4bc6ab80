/**
 * Finds faces in a small version of a picture: a network looks at it in several sizes, because it knows faces of about
 * 20 to 110 pixels; boxes that it finds for the same face are made one; it looks again at each, in the size in which it
 * knows faces best; a second, larger network looks at those that scored twice, and at their mirror images; and a third
 * one, of another kind, is asked where these leave doubt. What only looks like a face seldom does so to all.
 */
import { judge } from "#faces/judge";

import type { Estimate } from "../../../wasm/estimate.ts";
import {
  type FacePicture,
  facesEstimate,
  type Hit,
  lookMs,
  openFacePicture,
  SQUARE_MS,
  SQUARE_SIDE,
  WINDOW_ROWS,
} from "../../../wasm/faces/faces.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Box, sharedParts, type Size } from "../pixels/geometry.ts";
import type { Rows } from "../pixels/rows.ts";
import type { Judge } from "./judge.ts";

/**
 * The longest side, in pixels, of the version in which faces are sought; they are found from about 24 pixels on in it.
 */
export const FACE_SIDE = 640;

/** The longest sides of the sizes that are looked at beside the version itself, where that is clearly larger. */
const SMALLER_SIDES = [256, 128];
const CLEARLY = 1.25;

/**
 * What scores less, on the mean of three looks, or of two without those that judge, is no face: by the bench `faces`.
 */
export const MIN_SCORE = 0.63;
const MIN_SCORE_OF_TWO = 0.72;

/** What scores less at a glance, in which all faces are large and clear. */
const MIN_GLANCE_SCORE = 0.82;

/** What scores less at the first look says nothing of where a face is. */
const LEAST_HIT = 0.3;

/** A face scores at least so much at the first look, and on the mean of the first two. */
const LEAST_CANDIDATE = 0.5;
const LEAST_TWICE = 0.45;

/** Further looks: at so many times the side of a box, in these sizes; what they find there scores at least this. */
const AROUND = 3.2;
const SECOND: Size = { width: 96, height: 96 };
const THIRD: Size = { width: 128, height: 128 };
const LEAST_SEEN = 0.02;

/** On that mean of three looks the mirror image could add nothing of use. */
const SURE = 0.75;

/** Means of three looks that leave doubt. */
const [LEAST_DOUBTFUL, MOST_DOUBTFUL] = [0.5, 0.64];

/**
 * The third network looks at squares in which a box is so many of its pixels high, because faces begin at different
 * heights above the eyebrows. Each point that it scores above this one adds so much; where it is hopeless, the mirror
 * image would not be seen either.
 */
const HEIGHTS_IN_SQUARE = [76, 62] as const;
const LEAST_SQUARE_SCORE = -1.2;
const POINT = 0.2;
const HOPELESS = -1.5;

/** Places that are looked at again: at most, in a photograph, and there by the second network. */
const MAX_LOOKS = 60;
const USUAL_LOOKS = 3;
const USUAL_FACES = 2;
/** Squares that the third network is asked about, in a photograph that leaves doubt. */
const USUAL_SQUARES = 2;

/** What is seen again lies so near, in sides, and is at most so many times as large or as small. */
const NEAR = 0.5;
const ALIKE = 2;

/** Of two boxes, the shared part of their union, or of the smaller one, from which on they show the same. */
const SAME = 0.3;
const INSIDE = 0.6;

/** The network's boxes begin at the eyebrows: faces begin so much above them, in parts of their height. */
const FOREHEAD = 0.2;

/** To compare two hits. */
const COMPARISON_NANOSECONDS = 15;

/**
 * The faces in a picture, the most prominent first: boxes from the forehead to the chin, in its pixels, inside it.
 * Reads the rows to their end and closes them.
 */
export async function findFaces(rows: Rows, timeSlice: TimeSlice): Promise<Box[]> {
  const { width, height } = rows;
  const least = judge ? MIN_SCORE : MIN_SCORE_OF_TWO;
  return elected(await faceCandidates(rows, timeSlice, judge), least).map((face) => inside(face, { width, height }));
}

/** The estimate of finding the faces of a picture of this size. */
export function findFacesEstimate(size: Size): Estimate {
  return faceCandidatesEstimate(size, judge);
}

/** The most prominent face of those that take much of the picture. Reads the rows to their end and closes them. */
export async function findLargeFace(rows: Rows, timeSlice: TimeSlice): Promise<Box | undefined> {
  const { width, height } = rows;
  const size = { width, height };
  const found = await withPicture(rows, (picture) => seenTwice(picture, size, [size], timeSlice));
  const [face] = elected(found.map(withForehead), MIN_GLANCE_SCORE);
  return face && inside(face, size);
}

export function findLargeFaceEstimate(size: Size): Estimate {
  return facesEstimate(size, [size, SECOND]);
}

/**
 * Every place that may show a face, with its mean score of three looks, to which the third network may add, or of two
 * where there is nobody who judges.
 */
export async function faceCandidates(rows: Rows, timeSlice: TimeSlice, judging: Judge | undefined): Promise<Hit[]> {
  return withPicture(rows, async (picture) => {
    const faces: Hit[] = [];
    for (const hit of await seenTwice(picture, rows, sizesOf(rows), timeSlice)) {
      if (!judging) faces.push(hit);
      else if (hit.score >= LEAST_TWICE) faces.push(await judged(picture, judging, hit, timeSlice));
    }
    return faces.map(withForehead);
  });
}

/** The estimate of `faceCandidates` for a picture of this size. */
export function faceCandidatesEstimate(size: Size, judging: Judge | undefined): Estimate {
  const searches = Array.from({ length: USUAL_LOOKS }, () => SECOND);
  const looks = Array.from({ length: judging ? 2 * USUAL_FACES : 0 }, () => THIRD);
  return facesEstimate(size, [...sizesOf(size), ...searches], looks, judging ? USUAL_SQUARES : 0);
}

/** Those that score so much, the most prominent first. */
export function elected(places: readonly Hit[], minScore: number): Hit[] {
  return places.filter(({ score }) => score >= minScore).toSorted((a, b) => prominence(b) - prominence(a));
}

/** The version itself, and those that are clearly smaller. */
function sizesOf({ width, height }: Size): Size[] {
  const longest = Math.max(width, height);
  const smaller = SMALLER_SIDES.filter((side) => longest > side * CLEARLY);
  return [longest, ...smaller].map((side) => ({
    width: Math.max(1, Math.round((width * side) / longest)),
    height: Math.max(1, Math.round((height * side) / longest)),
  }));
}

/** Reads the rows to their end and closes them. */
async function withPicture<T>(rows: Rows, work: (picture: FacePicture) => Promise<T>): Promise<T> {
  let picture: FacePicture | undefined;
  try {
    picture = openFacePicture(rows.width, rows.height);
    for (let band = await rows.read(WINDOW_ROWS); band; band = await rows.read(WINDOW_ROWS)) picture.write(band);
    return await work(picture);
  } finally {
    picture?.close();
    rows.close();
  }
}

/** What may be a face at the first look, with the mean score of two looks. */
async function seenTwice(picture: FacePicture, of: Size, sizes: readonly Size[], timeSlice: TimeSlice): Promise<Hit[]> {
  const whole = { x: 0, y: 0, width: of.width, height: of.height };
  const hits: Hit[] = [];
  for (const size of sizes) hits.push(...(await hitsIn(picture, whole, size, LEAST_HIT, timeSlice)));
  const faces = (await distinct(hits, timeSlice)).filter(({ score }) => score >= LEAST_CANDIDATE);
  const twice: Hit[] = [];
  for (const face of faces.slice(0, MAX_LOOKS)) {
    const again = bestOf(face, await hitsIn(picture, around(face), SECOND, LEAST_SEEN, timeSlice));
    twice.push({ ...face, score: (face.score + again) / 2 });
  }
  return twice;
}

/** With the score of all looks, the second network's and, in doubt, the third one's. */
async function judged(picture: FacePicture, { far, mmod }: Judge, twice: Hit, timeSlice: TimeSlice): Promise<Hit> {
  const hit = { ...twice, score: await scoreOfThree(picture, far, twice, timeSlice) };
  const isDoubtful = hit.score >= LEAST_DOUBTFUL && hit.score < MOST_DOUBTFUL;
  return isDoubtful ? { ...hit, score: await scoreOfAll(picture, mmod, hit, timeSlice) } : hit;
}

/** The mean score of three looks, the third by the second network, at the face or, in doubt, its mirror image. */
async function scoreOfThree(picture: FacePicture, far: Uint8Array, twice: Hit, timeSlice: TimeSlice): Promise<number> {
  let score = 0;
  for (const mirrored of [false, true]) {
    if (score >= SURE) break;
    const third = bestOf(twice, picture.look(far, around(twice), THIRD, LEAST_SEEN, mirrored));
    score = Math.max(score, (2 * twice.score + third) / 3);
    await timeSlice.spend(lookMs(THIRD));
  }
  return score;
}

/** With what the third network adds to that, at best, in two sizes and, where there is hope, in the mirror image. */
async function scoreOfAll(picture: FacePicture, mmod: Uint8Array, hit: Hit, timeSlice: TimeSlice): Promise<number> {
  let seen = -Infinity;
  let score = hit.score;
  for (const mirrored of [false, true]) {
    if (score >= SURE || (mirrored && seen < HOPELESS)) break;
    for (const height of HEIGHTS_IN_SQUARE) {
      seen = Math.max(seen, picture.squareScore(mmod, around(hit, SQUARE_SIDE / height), mirrored));
      await timeSlice.spend(SQUARE_MS);
    }
    score = Math.min(SURE, hit.score + POINT * Math.max(0, seen - LEAST_SQUARE_SCORE));
  }
  return score;
}

/** The square that further looks are at, so many times as large as a box. */
function around({ x, y, width, height }: Hit, times = AROUND): Box {
  const side = times * Math.max(width, height);
  return { x: x + width / 2 - side / 2, y: y + height / 2 - side / 2, width: side, height: side };
}

/** The best score of what is seen again where a hit is, in about its size. */
function bestOf(hit: Hit, seen: readonly Hit[]): number {
  const [x, y] = [hit.x + hit.width / 2, hit.y + hit.height / 2];
  const near = NEAR * Math.max(hit.width, hit.height);
  const scores = seen
    .filter((other) => Math.hypot(other.x + other.width / 2 - x, other.y + other.height / 2 - y) < near)
    .filter(({ width }) => width * ALIKE > hit.width && width < ALIKE * hit.width)
    .map(({ score }) => score);
  return Math.max(0, ...scores);
}

async function hitsIn(
  picture: FacePicture,
  part: Box,
  size: Size,
  least: number,
  timeSlice: TimeSlice,
): Promise<Hit[]> {
  const search = picture.search(part, size, least);
  try {
    for (let more = true; more;) {
      more = search.next();
      await timeSlice.spend(search.stepMs);
    }
    return search.hits().filter(({ width, height }) => width > 0 && height > 0);
  } finally {
    search.close();
  }
}

/** Boxes of the same face made one, the mean of them by their scores, with the best of these; the best first. */
async function distinct(hits: readonly Hit[], timeSlice: TimeSlice): Promise<Hit[]> {
  const kept: Hit[] = [];
  let rest = hits.toSorted((a, b) => b.score - a.score);
  for (let best = rest[0]; best; best = rest[0]) {
    const first = best;
    const face = meanOf(rest.filter((hit) => sharedParts(first, hit).ofUnion > SAME));
    rest = rest.filter((hit) => hit !== first && sharedParts(first, hit).ofUnion <= SAME);
    if (!kept.some((other) => sharedParts(face, other).ofSmaller > INSIDE)) kept.push(face);
    await timeSlice.spend(2 * (rest.length + kept.length) * COMPARISON_NANOSECONDS * 1e-6);
  }
  return kept;
}

function meanOf(hits: readonly Hit[]): Hit {
  const sum = hits.reduce((total, { score }) => total + score, 0);
  const mean = (value: (hit: Hit) => number) =>
    hits.reduce((total, hit) => total + value(hit) * hit.score, 0) / Math.max(sum, Number.MIN_VALUE);
  const score = Math.max(...hits.map((hit) => hit.score));
  return {
    x: mean(({ x }) => x),
    y: mean(({ y }) => y),
    width: mean((h) => h.width),
    height: mean((h) => h.height),
    score,
  };
}

function withForehead(hit: Hit): Hit {
  const more = hit.height * FOREHEAD;
  return { ...hit, y: hit.y - more, height: hit.height + more };
}

function prominence({ width, height, score }: Hit): number {
  return Math.sqrt(width * height) * score;
}

function inside({ x, y, width, height }: Hit, size: Size): Box {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  return {
    x: left,
    y: top,
    width: Math.min(size.width, x + width) - left,
    height: Math.min(size.height, y + height) - top,
  };
}
