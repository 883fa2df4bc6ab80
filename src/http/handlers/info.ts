/** What a picture is, told to other Workers by the entrance of images. */
import { pictureInfo } from "../../pipeline/info.ts";
import { readRaw } from "../../source/raw.ts";
import { callerOf } from "../caller.ts";
import type { AppContext } from "../context.ts";

/** Answers with the facts of the picture that is the body. @throws ApiError as uploads do */
export async function showInfo(c: AppContext): Promise<Response> {
  const { original } = await readRaw(c.req.raw, { caller: () => callerOf(c) });
  return c.json(await pictureInfo(original));
}
