/** Deliveries, as their owners make and change them. */
import type * as v from "valibot";

import { isGranted } from "../../account/accounts.ts";
import { findAsset } from "../../account/assets.ts";
import { vaultOf } from "../../account/vault.ts";
import {
  type DeliveryCreated,
  type DeliveryDeleted,
  type DeliveryFound,
  type DeliveryList,
  type DeliveryPurged,
  type DeliveryRecord,
  type DeliveryRules,
  type DeliverySigning,
  parseDelivery,
  parseDeliveryChange,
  Purge,
} from "../../contract/deliveries.ts";
import { type AddressExplained, ExplainQuery } from "../../contract/explanation.ts";
import { checked } from "../../contract/message.ts";
import type { Asked } from "../../delivery/asked.ts";
import { explain, type Explanation, type Place, placeOf } from "../../delivery/explain.ts";
import { forgetAddresses } from "../../delivery/front-cache.ts";
import { forgetDelivery } from "../../delivery/lookup.ts";
import { purge } from "../../delivery/purge.ts";
import {
  changeDelivery,
  createDelivery,
  deleteDelivery,
  findDelivery,
  listDeliveries,
  openDelivery,
} from "../../delivery/records.ts";
import type { Delivery, DeliveryShelf } from "../../delivery/rows.ts";
import { rotateSigning, type Signing, signingOf } from "../../delivery/signing-pairs.ts";
import { locate, plainSource } from "../../delivery/sources.ts";
import { saidOf } from "../../error-words.ts";
import { ApiError } from "../../errors.ts";
import { hasSigner } from "../../pipeline/signers.ts";
import { accountOf, type AppContext, baseOf } from "../context.ts";
import { readJson } from "../json-body.ts";
import { assetNotFound, pageOf, shelfOf } from "./shelf.ts";

/** POST /1.0/deliveries */
export async function addDelivery(c: AppContext): Promise<Response> {
  const rules = parseDelivery(await readJson(c));
  await checkSources(c, rules.sources);
  await checkProvenance(c, rules.provenance);
  const { delivery, pair } = await createDelivery(directoryOf(c), accountOf(c).id, rules, new Date());
  const answer: v.InferOutput<typeof DeliveryCreated> = {
    success: true,
    code: 201,
    delivery: recordOf(c, delivery),
    signing: pair,
  };
  return c.json(answer, 201);
}

/** Has this isolate at once, and the caches in front, forget what a delivery was. */
async function forget(c: AppContext, id: string): Promise<void> {
  forgetDelivery(id);
  await forgetAddresses(c.env, platformCache(c), id);
}

/** GET /1.0/deliveries */
export async function showDeliveries(c: AppContext): Promise<Response> {
  const found = await listDeliveries(c.env.DB, accountOf(c).id, pageOf(c));
  const deliveries = found.map((delivery) => recordOf(c, delivery));
  return c.json<v.InferOutput<typeof DeliveryList>>({ success: true, code: 200, deliveries });
}

/** GET /1.0/deliveries/<id> */
export async function showDelivery(c: AppContext): Promise<Response> {
  return replyFound(c, await deliveryOf(c));
}

/** PATCH /1.0/deliveries/<id>: the members given replace those saved. */
export async function editDelivery(c: AppContext): Promise<Response> {
  await deliveryOf(c);
  const change = parseDeliveryChange(await readJson(c));
  await checkSources(c, change.sources ?? []);
  await checkProvenance(c, change.provenance);
  const changed = await changeDelivery(c.env.DB, accountOf(c).id, idOf(c), change, new Date());
  if (changed) await forget(c, changed.id);
  return replyFound(c, changed);
}

/** DELETE /1.0/deliveries/<id> */
export async function removeDelivery(c: AppContext): Promise<Response> {
  const id = idOf(c);
  if (!(await deleteDelivery(c.env.DB, accountOf(c).id, id))) throw assetNotFound();
  await purge(c.env, { id, original: undefined, now: Date.now() });
  await forget(c, id);
  return c.json<v.InferOutput<typeof DeliveryDeleted>>({ success: true, code: 200, id });
}

/** GET /1.0/deliveries/<id>/signing */
export async function showSigning(c: AppContext): Promise<Response> {
  return replySigning(c, await signingOf(directoryOf(c), accountOf(c).id, idOf(c), Date.now()));
}

/** POST /1.0/deliveries/<id>/signing */
export async function rotateDeliverySigning(c: AppContext): Promise<Response> {
  const signing = await rotateSigning(directoryOf(c), accountOf(c).id, idOf(c), Date.now());
  // Answers to what the old pair signed are kept from now on until that ends.
  if (signing) await forget(c, idOf(c));
  return replySigning(c, signing);
}

/** POST /1.0/deliveries/<id>/purge */
export async function purgeDelivery(c: AppContext): Promise<Response> {
  const delivery = await deliveryOf(c);
  const { source } = checked(Purge, await readJson(c));
  const original = source === undefined ? undefined : locate(delivery, plainSource(source) ?? "");
  if (source !== undefined && original === undefined) {
    throw new ApiError(422, "source must be one of the delivery's sources");
  }
  await purge(c.env, { id: delivery.id, accountId: delivery.accountId, original, now: Date.now() });
  await forget(c, delivery.id);
  return c.json<v.InferOutput<typeof DeliveryPurged>>({ success: true, code: 202, id: delivery.id }, 202);
}

/** GET /1.0/deliveries/<id>/explain */
export async function explainAddress(c: AppContext): Promise<Response> {
  const { id } = await deliveryOf(c);
  const { address, accept } = checked(ExplainQuery, c.req.query());
  const place = placeOf(address, id);
  if (!place) throw new ApiError(422, "address must be an address of this delivery");
  const now = Date.now();
  const delivery = await openDelivery(directoryOf(c), id, now);
  if (!delivery) throw assetNotFound();
  return c.json<AddressExplained>(explanationOf(place, await explain(delivery, place, accept, now)));
}

function explanationOf({ dialect }: Place, told: Explanation): AddressExplained {
  const { signature, refusal, asked, original, canonical } = told;
  return {
    success: true,
    code: 200,
    allowed: refusal === undefined,
    dialect,
    signature,
    ...(refusal && {
      refusal: {
        code: refusal.status,
        error: saidOf(refusal.status, refusal.plainMessage).error,
        message: refusal.plainMessage,
      },
    }),
    ...(asked && { asked: askedOf(asked) }),
    ...(original !== undefined && { original }),
    ...(canonical && { request: canonical.processing }),
    ...(canonical?.accept !== undefined && { accept: canonical.accept }),
  };
}

function askedOf({ source, presets, width, format, expires, body }: Asked): NonNullable<AddressExplained["asked"]> {
  return {
    ...(source !== undefined && { source }),
    presets: [...presets],
    ...(width !== undefined && { width }),
    format,
    ...(expires !== undefined && { expires_at: new Date(expires * 1_000).toISOString() }),
    request: body,
  };
}

/** @throws ApiError 422 when a source names something that is not there */
async function checkSources(c: AppContext, sources: DeliveryRules["sources"]): Promise<void> {
  const shelf = shelfOf(c);
  for (const [index, source] of sources.entries()) {
    if (source.kind === "bucket" && !("ORIGINALS" in c.env)) {
      throw new ApiError(
        422,
        `sources.${index}.kind must be web or store: the operator has bound no bucket of originals`,
      );
    }
    const { originals } = accountOf(c);
    if (source.kind === "bucket" && originals === null) {
      const granted = "the operator has granted this account no folder of originals";
      throw new ApiError(422, `sources.${index}.kind must be web or store: ${granted}`);
    }
    if (source.kind === "bucket" && !isGranted(originals, folderKey(source.path))) {
      throw new ApiError(
        422,
        `sources.${index}.path must lie in the folder that the operator has granted this account`,
      );
    }
    if (source.kind === "store" && !(await findAsset(shelf, "connector", source.connector))) {
      throw new ApiError(422, `sources.${index}.connector must be the id of a saved connector`);
    }
  }
}

/** @throws ApiError 422 where results are to be signed and nobody signs */
async function checkProvenance(c: AppContext, provenance: DeliveryRules["provenance"] | undefined): Promise<void> {
  if (provenance !== "sign" && provenance !== "keep") return;
  if (await hasSigner(shelfOf(c), c.var.settings)) return;
  throw new ApiError(422, "provenance must be auto or drop as long as no signer is saved");
}

/** A folder as the names of its objects begin. */
function folderKey(path = ""): string {
  return path === "" || path.endsWith("/") ? path : `${path}/`;
}

/** Deliveries are found by their id alone: they lie where all accounts do, not with an account's records. */
function directoryOf(c: AppContext): DeliveryShelf {
  return { db: c.env.DB, vault: vaultOf(c.var.settings.vaultKeys) };
}

/** The cache in front of the Worker; undefined where there is none. */
function platformCache(c: AppContext): CacheContext | undefined {
  return (c.executionCtx as ExecutionContext).cache;
}

async function deliveryOf(c: AppContext): Promise<Delivery> {
  const delivery = await findDelivery(c.env.DB, accountOf(c).id, idOf(c));
  if (!delivery) throw assetNotFound();
  return delivery;
}

function idOf(c: AppContext): string {
  return c.req.param("delivery") ?? "";
}

function replyFound(c: AppContext, delivery: Delivery | undefined): Response {
  if (!delivery) throw assetNotFound();
  const answer = { success: true, code: 200, delivery: recordOf(c, delivery) } as const;
  return c.json<v.InferOutput<typeof DeliveryFound>>(answer);
}

function replySigning(c: AppContext, signing: Signing | undefined): Response {
  if (!signing) throw assetNotFound();
  const { current, previous } = signing;
  const answer: DeliverySigning = {
    success: true,
    code: 200,
    signing: current,
    ...(previous && {
      previous: { key: previous.key, salt: previous.salt, valid_until: new Date(previous.until).toISOString() },
    }),
  };
  return c.json(answer);
}

function recordOf(c: AppContext, delivery: Delivery): DeliveryRecord {
  const { id, name, sources, presets, unsigned, refine, ttl, provenance, createdAt } = delivery;
  const base = baseOf(c);
  return {
    id,
    name,
    sources: [...sources],
    presets: presets as DeliveryRecord["presets"],
    unsigned,
    refine,
    ttl,
    provenance,
    url: `${base}/i/${id}`,
    created_at: createdAt,
  };
}
