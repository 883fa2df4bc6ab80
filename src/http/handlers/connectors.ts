/** Credentials of stores, saved under an id that requests name instead. */
import { Buffer } from "node:buffer";

import type * as v from "valibot";

import { type Asset, changeAsset, newAssetId, openAsset, saveAsset } from "../../account/assets.ts";
import {
  type AssetDeleted,
  ConnectorChange,
  type ConnectorCreated,
  type ConnectorFound,
  type ConnectorList,
  type ConnectorRecord,
  NewConnector,
  parseConnector,
} from "../../contract/assets.ts";
import { checked } from "../../contract/message.ts";
import type { SavedStore } from "../../contract/store.ts";
import { ApiError } from "../../errors.ts";
import { MAX_CONNECTOR_BYTES } from "../../limits/assets.ts";
import type { AppContext } from "../context.ts";
import { readJson } from "../json-body.ts";
import { assetAsked, assetNotFound, assetsAsked, deleteAsked, shelfOf } from "./shelf.ts";

const HINT_CHARACTERS = 4;

type Details = Pick<ConnectorRecord, "provider" | "key_hint">;

/** POST /1.0/connectors */
export async function addConnector(c: AppContext): Promise<Response> {
  const { name, ...members } = checked(NewConnector, await readJson(c));
  const secret = judged(members);
  const asset = { id: newAssetId(), name, details: detailsOf(secret), secret };
  const saved = await saveAsset(shelfOf(c), "connector", asset, new Date());
  return c.json<v.InferOutput<typeof ConnectorCreated>>({ success: true, code: 201, connector: recordOf(saved) }, 201);
}

/** GET /1.0/connectors */
export async function showConnectors(c: AppContext): Promise<Response> {
  const assets = await assetsAsked<Details>(c, "connector");
  return c.json<v.InferOutput<typeof ConnectorList>>({ success: true, code: 200, connectors: assets.map(recordOf) });
}

/** GET /1.0/connectors/<id> */
export async function showConnector(c: AppContext): Promise<Response> {
  const asset = await assetAsked<Details>(c, "connector");
  return c.json<v.InferOutput<typeof ConnectorFound>>({ success: true, code: 200, connector: recordOf(asset) });
}

/** PATCH /1.0/connectors/<id>: the members given replace those saved; the whole is judged again. */
export async function editConnector(c: AppContext): Promise<Response> {
  const shelf = shelfOf(c);
  const known = await assetAsked<Details>(c, "connector");
  const { id } = known;
  const { name = known.name, ...members } = checked(ConnectorChange, await readJson(c));
  const secret = judged({ ...((await openAsset(shelf, "connector", id)) as SavedStore), ...members });
  const changed = await changeAsset(shelf, "connector", { id, name, details: detailsOf(secret), secret }, new Date());
  if (!changed) throw assetNotFound();
  return c.json<v.InferOutput<typeof ConnectorFound>>({ success: true, code: 200, connector: recordOf(changed) });
}

/** DELETE /1.0/connectors/<id> */
export async function removeConnector(c: AppContext): Promise<Response> {
  const id = await deleteAsked(c, "connector");
  return c.json<v.InferOutput<typeof AssetDeleted>>({ success: true, code: 200, id });
}

/**
 * The members of a connector that may be saved.
 * @throws ApiError 413 when they are too many bytes together, 422 naming the first member that breaks a rule
 */
function judged(members: object): SavedStore {
  const secret = parseConnector(members);
  if (Buffer.byteLength(JSON.stringify(secret)) <= MAX_CONNECTOR_BYTES) return secret;
  throw new ApiError(413, `The connector exceeds the maximum size of ${MAX_CONNECTOR_BYTES} bytes`);
}

/** A connector with a keyfile has its id for a key. A short key is not hinted at: the hint would be most of it. */
function detailsOf(saved: SavedStore): Details {
  const { key: own, keyfile } = saved;
  const key = [own, keyfile].find((one) => typeof one === "string") ?? "";
  return { provider: saved.provider, key_hint: key.length >= 2 * HINT_CHARACTERS ? key.slice(-HINT_CHARACTERS) : "" };
}

function recordOf({ id, name, details, createdAt, updatedAt }: Asset<Details>): ConnectorRecord {
  return { id, name, ...details, created_at: createdAt, updated_at: updatedAt };
}
