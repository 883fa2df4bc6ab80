/** Writes films (ISO/IEC 14496-12 and 14496-14; AV1 in ISOBMFF): one track of pictures, no sound. */
import { joined } from "../../../joined.ts";
import { ascii, box, boxHeader, uint32 } from "../heif/boxes.ts";
import { moovBox, type WrittenFilm, type WrittenTrack } from "../heif/write-tracks.ts";
import { colorProperties, type HeifImage, type Places, placesFrom } from "../heif/write.ts";

export interface Film extends Omit<WrittenFilm, "loops">, Pick<HeifImage, "primaries" | "transfer" | "matrix"> {
  readonly track: WrittenTrack;
}

/** The major brand first. Files of AV1 say so among the others (AV1 in ISOBMFF, section 2.1). */
const BRANDS = ["isom", "iso6", "av01", "mp41"];

/**
 * What says where pictures lie comes before them, so that a film can be shown while it is fetched. It plays once: how often
 * it is repeated is said by the page that shows it.
 * @returns the file
 */
export function writeFilm(film: Film): Uint8Array {
  const { track } = film;
  const data = track.samples.map((sample) => sample.data);
  const descriptions = colorProperties({ ...film, fullRange: false }).map((property) => property.box);
  const parts = { handler: "vide", track, descriptions, references: [] } as const;
  const moovAt = (places: Places) => moovBox({ ...film, loops: 1 }, [parts], places);
  const ftyp = box("ftyp", ascii(BRANDS[0]!), uint32(0), ...BRANDS.map(ascii));
  const mdat = boxHeader("mdat", data);
  // The places of data depend on the length of what says them.
  const dataAt = ftyp.length + moovAt(new Map()).length + mdat.length;
  return joined([ftyp, moovAt(placesFrom(dataAt, data)), mdat, ...data]);
}
