/** Processing of an image that the request carries. */
import { UploadBody, parseBody } from "../../contract/request.ts";
import { MAX_SOURCE_BYTES } from "../../limits.ts";
import { readUpload } from "../../source/upload.ts";
import type { AppContext } from "../context.ts";
import { once } from "../idempotency.ts";
import { noteMode, processImage, refuseBinaryWith } from "./processing.ts";

/** POST /1.0/upload */
export async function uploadImage(c: AppContext): Promise<Response> {
  const { original, data } = await readUpload(c.req.raw, MAX_SOURCE_BYTES);
  try {
    noteMode(c, data);
    refuseBinaryWith(c, data, ["webhook", "store"]);
    return await once(c, data, original.bytes, () =>
      processImage(c, { kind: "upload", original }, parseBody(UploadBody, data)),
    );
  } finally {
    original.memory.release();
  }
}
