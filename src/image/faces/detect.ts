/**
 * Finds faces in a small version of a picture: a coarse search with two cascades of Haar features proposes places, and
 * at each of them a dense search with all cascades takes a vote. A face passes at many neighboring positions and
 * sizes and in several cascades; what only looks like one to a single cascade passes here and there.
 */
import { type Cascade, type GrayPicture, type Hit, MIN_WINDOW, openGrayPicture } from "../../../wasm/faces/faces.ts";
import { WINDOW_ROWS } from "../../../wasm/faces/faces.ts";
import { type Box, whole } from "../geometry.ts";
import type { Rows } from "../rows.ts";

/**
 * The longest side, in pixels, of the version in which faces are sought; they are found from about 24 pixels on in it.
 * Measured with the bench `faces`: 800 and 1,024 pixels find hardly more and cost 1.5 and 2
 * times as much.
 */
export const FACE_SIDE = 640;

/** From one size of window to the next, in the coarse and in the dense search. */
const COARSE_FACTOR = 1.15;
const DENSE_FACTOR = 1.05;

/** Of a window's side: how far corners of windows lie apart that show the same, and those that count as votes. */
const SAME = 0.25;
const VOTING = 0.3;

/** Places that are voted on at most: more are found in no photograph, and they bound the work. */
const MAX_PLACES = 200;

/** How often each dense search passes counts by this, and a face has at least so many votes. */
const VOTERS: readonly (readonly [Cascade, mirrored: boolean, weight: number])[] = [
  ["frontal", false, 1],
  ["frontal-trees", false, 0.5],
  ["profile", false, 0.5],
  ["profile", true, 0.5],
];
export const MIN_VOTES = 18;

/** From so many votes on, a face is as sure as can be; of two that are, the larger is the more prominent. */
const SURE_VOTES = 24;

export interface Candidate extends Hit {
  readonly votes: number;
}

/**
 * The faces in a picture, the most prominent first: square boxes from the forehead to the chin, in its pixels, inside
 * it. Reads the rows to their end and closes them.
 */
export function findFaces(rows: Rows): Box[] {
  const { width, height } = rows;
  return elected(votedPlaces(rows), MIN_VOTES).map((face) => inside(face, { width, height }));
}

/** Every place that may show a face, with its votes. Reads the rows to their end and closes them. */
export function votedPlaces(rows: Rows): Candidate[] {
  const { width, height } = rows;
  const picture = openGrayPicture(width, height);
  try {
    for (let band = rows.read(WINDOW_ROWS); band; band = rows.read(WINDOW_ROWS)) picture.write(band);
    return propose(picture, whole({ width, height })).map((place) => vote(picture, place));
  } finally {
    picture.close();
    rows.close();
  }
}

/** The places with at least so many votes, none over another, the most prominent first. */
export function elected(places: readonly Candidate[], minVotes: number): Candidate[] {
  const faces = distinct(places.filter(({ votes }) => votes >= minVotes));
  return faces.toSorted((a, b) => prominence(b) - prominence(a));
}

function propose(picture: GrayPicture, part: Box): Hit[] {
  const sizes = { smallest: MIN_WINDOW, largest: Math.max(part.width, part.height), factor: COARSE_FACTOR };
  const hits = [
    ...picture.scan({ ...part, ...sizes, cascade: "frontal-trees" }),
    ...picture.scan({ ...part, ...sizes, cascade: "profile" }),
    ...picture.scan({ ...part, ...sizes, cascade: "profile", mirrored: true }),
  ];
  const groups = groupsOf(hits).toSorted((a, b) => b.length - a.length);
  return groups.slice(0, MAX_PLACES).map((group) => meanOf(group));
}

/** Hits that show the same, by chains of neighbors. */
function groupsOf(hits: readonly Hit[]): Hit[][] {
  const groups: Hit[][] = [];
  for (const hit of hits) {
    const near = groups.filter((group) => group.some((other) => isNear(hit, other, SAME)));
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), hit]);
  }
  return groups;
}

function vote(picture: GrayPicture, place: Hit): Candidate {
  const margin = SAME * place.side;
  const side = place.side + 2 * margin;
  const part = { x: place.x - margin, y: place.y - margin, width: side, height: side };
  const sizes = {
    smallest: Math.max(MIN_WINDOW, place.side / (1 + SAME)),
    largest: place.side * (1 + SAME),
    factor: DENSE_FACTOR,
    fine: true,
  };
  let votes = 0;
  const all: Hit[] = [];
  for (const [cascade, mirrored, weight] of VOTERS) {
    const hits = picture.scan({ ...part, ...sizes, cascade, mirrored }).filter((hit) => isNear(hit, place, VOTING));
    votes += hits.length * weight;
    all.push(...hits);
  }
  return { ...(all.length > 0 ? meanOf(all) : place), votes };
}

/** Of candidates that overlap, the one with the most votes. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.votes - a.votes)) {
    if (!kept.some((other) => overlaps(candidate, other))) kept.push(candidate);
  }
  return kept;
}

/** More than half of the smaller one lies in the larger. */
function overlaps(a: Hit, b: Hit): boolean {
  const width = Math.min(a.x + a.side, b.x + b.side) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.side, b.y + b.side) - Math.max(a.y, b.y);
  return width > 0 && height > 0 && width * height > 0.5 * Math.min(a.side, b.side) ** 2;
}

function prominence({ side, votes }: Candidate): number {
  return side * Math.min(votes, SURE_VOTES);
}

function isNear(a: Hit, b: Hit, tolerance: number): boolean {
  const most = tolerance * Math.min(a.side, b.side);
  return [a.x - b.x, a.y - b.y, a.x + a.side - b.x - b.side, a.y + a.side - b.y - b.side].every(
    (distance) => Math.abs(distance) <= most,
  );
}

function meanOf(hits: readonly Hit[]): Hit {
  const mean = (value: (hit: Hit) => number) => hits.reduce((sum, hit) => sum + value(hit), 0) / hits.length;
  return { x: mean(({ x }) => x), y: mean(({ y }) => y), side: mean(({ side }) => side) };
}

function inside({ x, y, side }: Hit, { width, height }: { width: number; height: number }): Box {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  return { x: left, y: top, width: Math.min(width, x + side) - left, height: Math.min(height, y + side) - top };
}
