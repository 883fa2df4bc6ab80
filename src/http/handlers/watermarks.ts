/** Pictures that accounts save to lay over others. */
import type * as v from "valibot";

import { type Asset, findAsset, newAssetId, saveAsset, watermarkKey } from "../../account/assets.ts";
import {
  type AssetDeleted,
  NewAsset,
  type WatermarkCreated,
  type WatermarkFound,
  type WatermarkList,
  type WatermarkRecord,
} from "../../contract/assets.ts";
import { checked } from "../../contract/message.ts";
import { ApiError } from "../../errors.ts";
import { readHeaders } from "../../image/plan/detect.ts";
import { MAX_ASSET_NAME_CHARACTERS, MAX_WATERMARK_BYTES } from "../../limits/assets.ts";
import type { Original } from "../../source/original.ts";
import { readUpload } from "../../source/upload.ts";
import { callerOf } from "../caller.ts";
import type { AppContext } from "../context.ts";
import { assetAsked, assetsAsked, deleteAsked, shelfOf } from "./shelf.ts";

/** Formats that a watermark may have, by their registry names. */
const FORMATS: ReadonlySet<string> = new Set(["png", "svg", "webp", "gif", "jpeg"]);

type Details = Omit<WatermarkRecord, "id" | "name" | "created_at">;

/** POST /1.0/watermarks */
export async function addWatermark(c: AppContext): Promise<Response> {
  const { original, data } = await readUpload(c.req.raw, MAX_WATERMARK_BYTES, {
    isMember: (name) => name === "name",
    caller: () => callerOf(c),
  });
  try {
    return await saveWatermark(c, original, data);
  } finally {
    original.memory.release();
  }
}

async function saveWatermark(c: AppContext, original: Original, data: object): Promise<Response> {
  const { name = original.name.slice(0, MAX_ASSET_NAME_CHARACTERS) } = checked(NewAsset, data);
  const details = await detailsOf(original.bytes);
  const shelf = shelfOf(c);
  const id = newAssetId();
  // The bytes first: a record without bytes would be a promise that cannot be kept.
  const key = watermarkKey(shelf.accountId, id);
  await c.env.BUCKET.put(key, original.bytes);
  const asset = await saveAsset(shelf, "watermark", { id, name, details }, new Date()).catch(async (error: unknown) => {
    // A database may have done its work and lost the answer: bytes of a record that is there stay.
    const kept = await findAsset<Details>(shelf, "watermark", id);
    if (kept) return kept;
    await c.env.BUCKET.delete(key);
    throw error;
  });
  return c.json<v.InferOutput<typeof WatermarkCreated>>({ success: true, code: 201, watermark: recordOf(asset) }, 201);
}

/** GET /1.0/watermarks */
export async function showWatermarks(c: AppContext): Promise<Response> {
  const assets = await assetsAsked<Details>(c, "watermark");
  return c.json<v.InferOutput<typeof WatermarkList>>({ success: true, code: 200, watermarks: assets.map(recordOf) });
}

/** GET /1.0/watermarks/<id> */
export async function showWatermark(c: AppContext): Promise<Response> {
  const asset = await assetAsked<Details>(c, "watermark");
  return c.json<v.InferOutput<typeof WatermarkFound>>({ success: true, code: 200, watermark: recordOf(asset) });
}

/** DELETE /1.0/watermarks/<id> */
export async function removeWatermark(c: AppContext): Promise<Response> {
  const id = await deleteAsked(c, "watermark");
  await c.env.BUCKET.delete(watermarkKey(shelfOf(c).accountId, id));
  return c.json<v.InferOutput<typeof AssetDeleted>>({ success: true, code: 200, id });
}

/** @throws ApiError 415 for another format, 422 for a damaged file */
async function detailsOf(bytes: Uint8Array): Promise<Details> {
  const { name, format, facts } = await readHeaders(bytes);
  if (!FORMATS.has(name)) throw new ApiError(415, "The watermark must be a PNG, SVG, WebP, GIF or JPEG");
  const sha1 = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes as Uint8Array<ArrayBuffer>)).toHex();
  return { format: format.label, width: facts.width, height: facts.height, bytes: bytes.length, sha1 };
}

function recordOf({ id, name, details, createdAt }: Asset<Details>): WatermarkRecord {
  return { id, name, ...details, created_at: createdAt };
}
