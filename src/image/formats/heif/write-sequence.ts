/**
 * Writes image sequences (ISO/IEC 23008-12, section 7): a track of pictures, one of their alpha, and as a still the first of
 * them, for readers that know no tracks.
 */
import { joined } from "../../../joined.ts";
import { ascii, box, fullBox, uint32 } from "./boxes.ts";
import { moovBox, type TrackParts, type WrittenFilm, type WrittenTrack } from "./write-tracks.ts";
import {
  ALPHA_URN,
  type CodedLayer,
  colorProperties,
  type HeifImage,
  itemPieces,
  itemsOf,
  type Places,
} from "./write.ts";

export interface HeifSequence extends WrittenFilm, Omit<HeifImage, "color" | "alpha" | "tile" | "grid"> {
  readonly color: WrittenTrack;
  readonly alpha?: WrittenTrack | undefined;
}

/** The number of the track of colors: it is the first. */
const COLOR_TRACK = 1;

/** @returns the file */
export function writeHeifSequence(sequence: HeifSequence): Uint8Array {
  const { color, alpha, width, height } = sequence;
  const written = itemsOf({
    ...sequence,
    tile: { width, height },
    grid: false,
    color: stillOf(color),
    alpha: alpha && stillOf(alpha),
  });
  const data = [color, ...(alpha ? [alpha] : [])].flatMap(({ samples }) => samples.map((sample) => sample.data));
  const moov = (places: Places) => moovBox(sequence, tracksOf(sequence), places);
  return joined(itemPieces(sequence.brands, written, { data, moov }));
}

function stillOf({ config, bits, samples }: WrittenTrack): CodedLayer {
  return { config, bits, tiles: samples.slice(0, 1).map(({ data }) => data) };
}

/** `ccst`: pictures may be predicted from within and from any number of others (ISO/IEC 23008-12, 7.2.3). */
const PREDICTED = fullBox("ccst", 0, 0, uint32(0x7c00_0000));

function tracksOf(sequence: HeifSequence): readonly TrackParts[] {
  const { color, alpha } = sequence;
  const colors: TrackParts = {
    handler: "pict",
    track: color,
    descriptions: [...colorProperties(sequence).map((property) => property.box), PREDICTED],
    references: [],
  };
  if (!alpha) return [colors];
  const alphas: TrackParts = {
    handler: "auxv",
    track: alpha,
    descriptions: [fullBox("auxi", 0, 0, ascii(`${ALPHA_URN}\0`)), PREDICTED],
    references: [box("tref", box("auxl", uint32(COLOR_TRACK)))],
  };
  return [colors, alphas];
}
