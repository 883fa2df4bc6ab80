/** Writers of files that are told what their colors mean once their pixels are written. */
import type { Writer } from "../codec/writer.ts";
import type { Space } from "../color/space.ts";
import type { Picture } from "../pixels/picture.ts";
import { besideProfile } from "./profile-estimate.ts";

/** A file with the profile of a space in it. */
type Embed = (bytes: Uint8Array, space: Space) => Uint8Array;

/** A profile as it is, and in the form that a file holds it in. */
const COPIES = 2;

/**
 * A writer whose files have the profile of their pictures; those of sRGB have none.
 * @param nanoseconds that it takes to bring a byte of it into that form
 */
export function embedding<Own extends Writer>(write: Own, embed: Embed, nanoseconds = 0): Own {
  const embedded = async ({ space }: Picture, file: Promise<Uint8Array>) => (space ? embed(await file, space) : file);
  const { study } = write;
  return {
    ...write,
    estimate: besideProfile(write.estimate, COPIES, nanoseconds),
    encode: (picture, settings, timeSlice) => embedded(picture, write.encode(picture, settings, timeSlice)),
    ...(study && {
      study(picture) {
        const { encode, preview } = study(picture);
        return { encode: (settings, timeSlice) => embedded(picture, encode(settings, timeSlice)), preview };
      },
    }),
  };
}
