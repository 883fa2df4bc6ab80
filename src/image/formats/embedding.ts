/** Writers of files that are told what their colors mean once their pixels are written. */
import { beside, held } from "../../../wasm/price.ts";
import type { Space } from "../color/space.ts";
import type { Picture } from "../picture.ts";
import type { Writer } from "../writer.ts";

/** A file with the profile of a space in it. */
type Embed = (bytes: Uint8Array, space: Space) => Uint8Array;

/** A profile as it is, and in the form that a file holds it in. */
const COPIES = 2;

/** A writer whose files have the profile of their pictures; those of sRGB have none. */
export function embedding<Own extends Writer>(write: Own, embed: Embed): Own {
  const embedded = async ({ space }: Picture, file: Promise<Uint8Array>) => (space ? embed(await file, space) : file);
  const { study } = write;
  return {
    ...write,
    price(picture, settings) {
      const price = write.price(picture, settings);
      return picture.space ? beside(price, held(COPIES * picture.space.profile.length)) : price;
    },
    encode: (picture, settings, breath) => embedded(picture, write.encode(picture, settings, breath)),
    ...(study && {
      study(picture) {
        const { encode, preview } = study(picture);
        return { encode: (settings, breath) => embedded(picture, encode(settings, breath)), preview };
      },
    }),
  };
}
