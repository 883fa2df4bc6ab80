/** What is seen in a small version of a picture: faces, and where to look. */
import { overWhite } from "./analyses/over-white.ts";
import { saliencyMs, standoutOf } from "./analyses/saliency.ts";
import type { Small } from "./analysis.ts";
import type { Breath } from "./breath.ts";
import { findFaces, findFacesPrice } from "./faces/detect.ts";
import { enlarged } from "./faces/report.ts";
import type { Box, Size } from "./geometry.ts";
import type { Point, Sights } from "./gravity.ts";
import { LOOK_BYTES_PER_PIXEL } from "./operation.ts";
import { pixelsOf, type Rows, rowsOver } from "./rows.ts";

const MIDDLE: Point = { x: 0.5, y: 0.5 };
/** Besides what is held while somebody looks: the pixels themselves, and a copy of them on white. */
export const SIGHT_BYTES_PER_PIXEL = LOOK_BYTES_PER_PIXEL + 8;

/** Milliseconds that it takes to seek faces, and what stands out where there are none. */
export function sightMs(size: Size): number {
  return findFacesPrice(size).ms + saliencyMs(size.width * size.height);
}

/**
 * What is seen of a picture of this size in the small version that `look` opens, once and when it is asked for. Faces are
 * in pixels of the picture.
 */
export function sightsOf(look: () => Promise<Rows>, picture: Size, breath: Breath): Sights {
  let seen: Promise<Small> | undefined;
  let found: Promise<readonly Box[]> | undefined;
  const small = async (): Promise<Small> => {
    const rows = await look();
    const { width, height, opaque } = rows;
    return { width, height, opaque, picture, pixels: await pixelsOf(rows) };
  };
  const faces = async () => {
    const shown = await (seen ??= small());
    return enlarged(await findFaces(rowsOver(shown.pixels, shown), breath), shown, picture);
  };
  const seek = () => (found ??= faces());
  return {
    faces: seek,
    async focus() {
      const [face] = await seek();
      if (face) return { x: (face.x + face.width / 2) / picture.width, y: (face.y + face.height / 2) / picture.height };
      const shown = await (seen ??= small());
      const standout = standoutOf(await overWhite(shown), shown);
      await breath.spend(saliencyMs(shown.width * shown.height));
      return standout ?? MIDDLE;
    },
  };
}
