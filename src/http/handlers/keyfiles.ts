/** Service-account keyfiles, written once and never shown. */
import type * as v from "valibot";

import { type Asset, newAssetId, saveAsset } from "../../account/assets.ts";
import {
  type AssetDeleted,
  type KeyfileCreated,
  type KeyfileFound,
  type KeyfileList,
  type KeyfileRecord,
  NewAsset,
} from "../../contract/assets.ts";
import { checked } from "../../contract/message.ts";
import { ApiError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { MAX_ASSET_NAME_CHARACTERS, MAX_KEYFILE_BYTES } from "../../limits/assets.ts";
import { readUpload } from "../../source/upload.ts";
import { parseKeyfile } from "../../storage/keyfile.ts";
import { callerOf } from "../caller.ts";
import type { AppContext } from "../context.ts";
import { readJson } from "../json-body.ts";
import { assetAsked, assetsAsked, deleteAsked, shelfOf } from "./shelf.ts";

type Details = Omit<KeyfileRecord, "id" | "name" | "created_at">;

/** POST /1.0/keyfiles */
export async function addKeyfile(c: AppContext): Promise<Response> {
  const { value, data } = await readKeyfile(c);
  const keyfile = await parseKeyfile(value);
  const { client_email, project_id } = keyfile;
  const { name = client_email.slice(0, MAX_ASSET_NAME_CHARACTERS) } = checked(NewAsset, data);
  const details: Details = { client_email, ...(project_id !== undefined && { project_id }) };
  const asset = { id: newAssetId(), name, details, secret: keyfile };
  const saved = await saveAsset(shelfOf(c), "keyfile", asset, new Date());
  return c.json<v.InferOutput<typeof KeyfileCreated>>({ success: true, code: 201, keyfile: recordOf(saved) }, 201);
}

/** GET /1.0/keyfiles */
export async function showKeyfiles(c: AppContext): Promise<Response> {
  const assets = await assetsAsked<Details>(c, "keyfile");
  return c.json<v.InferOutput<typeof KeyfileList>>({ success: true, code: 200, keyfiles: assets.map(recordOf) });
}

/** GET /1.0/keyfiles/<id> */
export async function showKeyfile(c: AppContext): Promise<Response> {
  const asset = await assetAsked<Details>(c, "keyfile");
  return c.json<v.InferOutput<typeof KeyfileFound>>({ success: true, code: 200, keyfile: recordOf(asset) });
}

/** DELETE /1.0/keyfiles/<id> */
export async function removeKeyfile(c: AppContext): Promise<Response> {
  const id = await deleteAsked(c, "keyfile");
  return c.json<v.InferOutput<typeof AssetDeleted>>({ success: true, code: 200, id });
}

/** The file of a form, or the whole body. */
async function readKeyfile(c: AppContext): Promise<{ value: object; data: object }> {
  const request = c.req.raw;
  if (/^multipart\//i.test(request.headers.get("content-type") ?? "")) {
    const { original, data } = await readUpload(request, MAX_KEYFILE_BYTES, {
      subject: "The keyfile",
      isMember: (name) => name === "name",
      caller: () => callerOf(c),
    });
    original.memory.release();
    return { value: parseJsonObject(original.bytes, "The keyfile"), data };
  }
  const value = await readJson(c);
  if (JSON.stringify(value).length > MAX_KEYFILE_BYTES) {
    throw new ApiError(413, `The keyfile exceeds the maximum size of ${MAX_KEYFILE_BYTES} bytes`);
  }
  return { value, data: {} };
}

function recordOf({ id, name, details, createdAt }: Asset<Details>): KeyfileRecord {
  return { id, name, ...details, created_at: createdAt };
}
