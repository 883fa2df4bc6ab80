/** What a picture is, without work on its pixels. */
import { turnSize } from "../image/pixels/geometry.ts";
import { readHeaders } from "../image/plan/detect.ts";
import { storedSize } from "../image/plan/plan.ts";
import type { Original } from "../source/original.ts";

/** Where other Workers' questions for facts come in: to everybody else nothing is there. */
export const INFO_PATH = "/binding/info";

const SVG = "image/svg+xml";

/** As the platform's image binding says it: a drawing has no size. */
export type PictureInfo =
  | { readonly format: typeof SVG }
  | { readonly format: string; readonly fileSize: number; readonly width: number; readonly height: number };

/**
 * The format, the bytes and the size of a picture as it is shown. Its memory is given back.
 * @throws ApiError 415, 422 or 503
 */
export async function pictureInfo({ bytes, memory }: Original): Promise<PictureInfo> {
  try {
    const stored = await readHeaders(bytes);
    const { mime } = stored.format;
    if (mime === SVG) return { format: mime };
    const { width, height } = turnSize(storedSize(stored.facts), stored.facts.orientation);
    return { format: mime, fileSize: bytes.length, width, height };
  } finally {
    memory.release();
  }
}
