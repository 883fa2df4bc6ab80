/** Who signs what results say of where they are from, and whom the operator trusts. */
import type * as v from "valibot";

import { type Asset, newAssetId, saveAsset } from "../../account/assets.ts";
import { addressProblem } from "../../address.ts";
import type { AssetDeleted } from "../../contract/assets.ts";
import { checked } from "../../contract/message.ts";
import {
  NewSigner,
  type SignerCreated,
  type SignerFound,
  type SignerList,
  type SignerRecord,
  Trust,
  type TrustFound,
} from "../../contract/signers.ts";
import { ApiError } from "../../errors.ts";
import { Unreadable } from "../../image/provenance/cbor.ts";
import { readPem } from "../../image/provenance/certificate.ts";
import { openSigner } from "../../image/provenance/signer.ts";
import { mayStamp } from "../../source/time-stamp.ts";
import { putTrust, readTrust } from "../../storage/trust.ts";
import type { AppContext } from "../context.ts";
import { readJson } from "../json-body.ts";
import { assetAsked, assetsAsked, deleteAsked, shelfOf } from "./shelf.ts";

type Details = Omit<SignerRecord, "id" | "name" | "created_at">;

/** POST /1.0/signers */
export async function addSigner(c: AppContext): Promise<Response> {
  const { name, ...secret } = checked(NewSigner, await readJson(c));
  const { algorithm, holder, expiresAt } = await openSigner(secret);
  const { tsa } = secret;
  if (tsa !== undefined && !mayStamp(c.var.settings, tsa)) {
    throw new ApiError(422, `tsa ${addressProblem(new URL(tsa).hostname)}`);
  }
  const details = {
    algorithm,
    ...(holder !== undefined && { holder }),
    expires_at: new Date(expiresAt).toISOString(),
    ...(tsa !== undefined && { tsa }),
  };
  const saved = await saveAsset<Details>(shelfOf(c), "signer", { id: newAssetId(), name, details, secret }, new Date());
  return c.json<v.InferOutput<typeof SignerCreated>>({ success: true, code: 201, signer: recordOf(saved) }, 201);
}

/** GET /1.0/signers */
export async function showSigners(c: AppContext): Promise<Response> {
  const assets = await assetsAsked<Details>(c, "signer");
  return c.json<v.InferOutput<typeof SignerList>>({ success: true, code: 200, signers: assets.map(recordOf) });
}

/** GET /1.0/signers/<id> */
export async function showSigner(c: AppContext): Promise<Response> {
  const asset = await assetAsked<Details>(c, "signer");
  return c.json<v.InferOutput<typeof SignerFound>>({ success: true, code: 200, signer: recordOf(asset) });
}

/** DELETE /1.0/signers/<id> */
export async function removeSigner(c: AppContext): Promise<Response> {
  const id = await deleteAsked(c, "signer");
  return c.json<v.InferOutput<typeof AssetDeleted>>({ success: true, code: 200, id });
}

/** GET /1.0/signers/trust */
export async function showTrust(c: AppContext): Promise<Response> {
  return trusted(c, (await readTrust(c.env.BUCKET)) ?? "");
}

/** PUT /1.0/signers/trust */
export async function changeTrust(c: AppContext): Promise<Response> {
  const { anchors } = checked(Trust, await readJson(c));
  const answer = trusted(c, anchors);
  await putTrust(c.env.BUCKET, anchors);
  return answer;
}

function trusted(c: AppContext, anchors: string): Response {
  const count = countOf(anchors);
  return c.json<v.InferOutput<typeof TrustFound>>({ success: true, code: 200, anchors, count });
}

/** @throws ApiError 422 */
function countOf(anchors: string): number {
  try {
    const count = readPem(anchors).length;
    if (count > 0 || anchors.trim() === "") return count;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  throw new ApiError(422, "anchors must be certificates in PEM");
}

function recordOf({ id, name, details, createdAt }: Asset<Details>): SignerRecord {
  return { id, name, ...details, created_at: createdAt };
}
