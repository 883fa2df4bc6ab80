/**
 * Finds faces in a small version of a picture: a coarse search with two cascades of Haar features proposes places, and
 * at each of them a dense search with all cascades takes a vote. A face passes at many neighboring positions and
 * sizes and in several cascades; what only looks like one to a single cascade passes here and there.
 */
import {
  type Cascade,
  facesPrice,
  type GrayPicture,
  type Hit,
  MAX_HITS,
  MIN_WINDOW,
  openGrayPicture,
  sweepMs,
  WINDOW_ROWS,
} from "../../../wasm/faces/faces.ts";
import { beside, type Price } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import type { Box, Size } from "../geometry.ts";
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

/**
 * How far, in parts of a window's side, corners of windows lie apart that show the same, and those that count as votes.
 */
const SAME = 0.25;
const VOTING = 0.3;

/** How thoroughly faces are sought. */
export interface Search {
  /** What the coarse search looks for. */
  readonly proposers: readonly (readonly [Cascade, mirrored: boolean])[];
  /** Places that are voted on at most. */
  readonly maxPlaces: number;
}

/** More places are found in no photograph, and they bound the work. */
const THOROUGH: Search = {
  proposers: [
    ["frontal-trees", false],
    ["profile", false],
    ["profile", true],
  ],
  maxPlaces: 200,
};

/** One vote, with all its cascades; and so many votes, in a photograph. */
export const VOTE_MS = 1.2;
const USUAL_PLACES = 20;
/** To compare two hits. */
const COMPARISON_NANOSECONDS = 15;

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
export async function findFaces(rows: Rows, breath: Breath): Promise<Box[]> {
  const { width, height } = rows;
  return elected(await votedPlaces(rows, breath, THOROUGH), MIN_VOTES).map((face) => inside(face, { width, height }));
}

/** The price of finding the faces of a picture of this size. */
export function findFacesPrice(size: Size): Price {
  return beside(facesPrice(size, THOROUGH.proposers.length), { bytes: 0, ms: USUAL_PLACES * VOTE_MS });
}

/** Every place that may show a face, with its votes. Reads the rows to their end and closes them. */
export async function votedPlaces(rows: Rows, breath: Breath, search = THOROUGH): Promise<Candidate[]> {
  const { width, height } = rows;
  let picture: GrayPicture | undefined;
  try {
    picture = openGrayPicture(width, height);
    for (let band = await rows.read(WINDOW_ROWS); band; band = await rows.read(WINDOW_ROWS)) picture.write(band);
    const candidates: Candidate[] = [];
    for (const place of await propose(picture, { width, height }, search, breath)) {
      candidates.push(vote(picture, place));
      await breath.spend(VOTE_MS);
    }
    return candidates;
  } finally {
    picture?.close();
    rows.close();
  }
}

/** The places with at least so many votes, none over another, the most prominent first. */
export function elected(places: readonly Candidate[], minVotes: number): Candidate[] {
  const faces = distinct(places.filter(({ votes }) => votes >= minVotes));
  return faces.toSorted((a, b) => prominence(b) - prominence(a));
}

async function propose(
  picture: GrayPicture,
  size: Size,
  { proposers, maxPlaces }: Search,
  breath: Breath,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const [cascade, mirrored] of proposers) hits.push(...(await sweep(picture, size, cascade, mirrored, breath)));
  const groups = (await groupsOf(hits, breath)).toSorted((a, b) => b.length - a.length);
  return groups.slice(0, maxPlaces).map((group) => meanOf(group));
}

/** The windows of all sizes that pass a cascade, one size after the other. */
async function sweep(
  picture: GrayPicture,
  { width, height }: Size,
  cascade: Cascade,
  mirrored: boolean,
  breath: Breath,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  const largest = Math.max(width, height);
  for (let side = MIN_WINDOW; side <= largest && hits.length < MAX_HITS; side *= COARSE_FACTOR) {
    // The next size lies beyond the largest of a search, which is a little more than the smallest for what is rounded.
    const only = { smallest: side, largest: side * 1.001, factor: COARSE_FACTOR };
    hits.push(...picture.scan({ x: 0, y: 0, width, height, cascade, mirrored, ...only }));
    await breath.spend(sweepMs({ width, height }, side));
  }
  return hits.slice(0, MAX_HITS);
}

/** Hits that show the same, by chains of neighbors. */
async function groupsOf(hits: readonly Hit[], breath: Breath): Promise<Hit[][]> {
  const groups: Hit[][] = [];
  let compared = 0;
  for (const hit of hits) {
    const near = groups.filter((group) => group.some((other) => isNear(hit, other, SAME)));
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), hit]);
    compared++;
    await breath.spend(compared * COMPARISON_NANOSECONDS * 1e-6);
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

/** Keeps the candidate with the most votes among those that overlap. */
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
  const grown = a.side - b.side;
  const [across, down] = [a.x - b.x, a.y - b.y];
  return (
    isWithin(across, most) && isWithin(down, most) && isWithin(across + grown, most) && isWithin(down + grown, most)
  );
}

function isWithin(distance: number, most: number): boolean {
  return Math.abs(distance) <= most;
}

function meanOf(hits: readonly Hit[]): Hit {
  const mean = (value: (hit: Hit) => number) => hits.reduce((sum, hit) => sum + value(hit), 0) / hits.length;
  return { x: mean(({ x }) => x), y: mean(({ y }) => y), side: mean(({ side }) => side) };
}

export function inside({ x, y, side }: Hit, { width, height }: { width: number; height: number }): Box {
  const left = Math.max(0, x);
  const top = Math.max(0, y);
  return { x: left, y: top, width: Math.min(width, x + side) - left, height: Math.min(height, y + side) - top };
}
