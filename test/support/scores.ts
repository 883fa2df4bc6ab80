/** What the metric alone says of pictures. */
import { judgeAnimation } from "../../src/image/search/animation.ts";
import { judgeRows } from "../../src/image/search/score.ts";

/** The SSIMULACRA 2.1 score of `second` as a rendition of `first`. */
export async function scoreRows(...compared: Parameters<typeof judgeRows>): Promise<number> {
  return (await judgeRows(...compared)).score;
}

/** The least score of the frames of an animation that are compared. */
export async function scoreAnimation(...compared: Parameters<typeof judgeAnimation>): Promise<number> {
  return (await judgeAnimation(...compared)).score;
}
