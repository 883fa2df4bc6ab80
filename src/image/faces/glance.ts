/** A glance at a picture: whether a face takes much of it, at a twentieth of the cost of finding all faces. */
import { facesPrice } from "../../../wasm/faces/faces.ts";
import { beside, type Price } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import { type Box, type Size, whole } from "../geometry.ts";
import { resample, resamplePrice } from "../resample.ts";
import type { Rows } from "../rows.ts";
import { elected, inside, MIN_VOTES, type Search, VOTE_MS, votedPlaces } from "./detect.ts";

/**
 * The longest side, in pixels, of what is looked at: a face has the 24 pixels there by which it is found where it takes a
 * seventh of the picture. Of 13 photographs of faces 10 are known by it, and none of 13 others is taken for one.
 */
const SIDE = 160;

/** Frontal faces, at the places that are the most likely. */
const SEARCH: Search = { proposers: [["frontal-trees", false]], maxPlaces: 3 };

/** The most prominent face, if one takes much of the picture, in its pixels. Reads the rows to their end and closes them. */
export async function glanceForFace(rows: Rows, breath: Breath): Promise<Box | undefined> {
  const { width, height } = rows;
  const small = reduced(rows);
  const shrunk = resample(rows, { box: whole(rows), ...small, kernel: "linear" });
  const [face] = elected(await votedPlaces(shrunk, breath, SEARCH), MIN_VOTES);
  if (!face) return undefined;
  const [across, down] = [width / small.width, height / small.height];
  const box = inside(face, small);
  return { x: box.x * across, y: box.y * down, width: box.width * across, height: box.height * down };
}

/** The price of a glance at a picture of this size. */
export function glancePrice(size: Size): Price {
  const small = reduced(size);
  const looking = { bytes: 0, ms: SEARCH.maxPlaces * VOTE_MS };
  return beside(resamplePrice(size, small, { opaque: true }), facesPrice(small, SEARCH.proposers.length), looking);
}

function reduced({ width, height }: Size): Size {
  const factor = Math.min(1, SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}
