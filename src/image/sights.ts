/** What is seen in a small version of a picture: faces, and where to look. */
import { focusPoint } from "./analyses/focus-point.ts";
import { facesIn } from "./analyses/found-faces.ts";
import type { Small } from "./analysis.ts";
import type { Breath } from "./breath.ts";
import { enlarged } from "./faces/report.ts";
import type { Size } from "./geometry.ts";
import type { Sights } from "./gravity.ts";
import { LOOK_BYTES_PER_PIXEL } from "./operation.ts";
import { pixelsOf, type Rows } from "./rows.ts";

/** Besides what is held while somebody looks: the pixels themselves, and a copy of them on white. */
export const SIGHT_BYTES_PER_PIXEL = LOOK_BYTES_PER_PIXEL + 8;

interface Seen extends Sights {
  /** The pixels that are looked at, decoded once. */
  readonly seen: () => Promise<Small>;
}

/**
 * What is seen of a picture of this size in the small version that `look` opens, once and when it is asked for. Faces are
 * in pixels of the picture.
 */
export function sightsOf(look: () => Promise<Rows>, picture: Size, breath: Breath): Seen {
  let seen: Promise<Small> | undefined;
  const open = async (): Promise<Small> => {
    const rows = await look();
    const { width, height, opaque } = rows;
    return { width, height, opaque, picture, pixels: await pixelsOf(rows) };
  };
  const small = () => (seen ??= open());
  return {
    seen: small,
    faces: async () => {
      const shown = await small();
      return enlarged(await facesIn(shown, breath), shown, picture);
    },
    focus: async (part) => focusPoint(await small(), breath, part),
  };
}
