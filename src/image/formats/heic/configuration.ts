/** The `hvcC` property and the units of an item (ISO/IEC 14496-15, section 8.3.3). */
import { PARTS } from "../../../limits/parts.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { Fields } from "../heif/bytes.ts";
import type { Coded } from "../heif/codec.ts";

/** Types of units, ITU-T H.265, table 7-1. */
export const UNIT = {
  lastSlice: 31,
  firstRandomAccess: 16,
  lastRandomAccess: 23,
  instantRefresh: 19,
  video: 32,
  sequence: 33,
  picture: 34,
  message: 39,
} as const;

export interface Configuration {
  /** Parameter sets first, then slices, without start codes and lengths. */
  readonly units: readonly Uint8Array[];
  /** Messages beside the picture (SEI) that come before it. */
  readonly messages: readonly Uint8Array[];
}

/** @throws ApiError 422 when it is damaged or cut short, or has more units than any picture has */
export function readUnits({ config, payload }: Coded): Configuration {
  const fields = new Fields(config);
  fields.piece(21);
  const lengthBytes = (fields.number(1) & 3) + 1;
  const units: Uint8Array[] = [];
  const messages: Uint8Array[] = [];
  let count = 0;
  const add = (unit: Uint8Array) => {
    if (++count > PARTS.slices.most) throw tooManyParts(PARTS.slices);
    // A unit has a header of two bytes.
    if (unit.length <= 2) return;
    if (unit[0]! >> 1 <= MAX_UNIT_TYPE) units.push(unit);
    else if (unit[0]! >> 1 === UNIT.message) messages.push(unit);
  };
  const arrays = fields.number(1);
  for (let array = 0; array < arrays; array++) {
    fields.number(1);
    for (let left = fields.number(2); left > 0; left--) add(fields.piece(fields.number(2)));
  }
  const slices = new Fields(payload);
  while (slices.left > 0) add(slices.piece(slices.number(lengthBytes)));
  return { units, messages };
}

/** Those above are supplemental: descriptions of the picture, and their abuse. */
const MAX_UNIT_TYPE = UNIT.picture;
