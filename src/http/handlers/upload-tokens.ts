/** Upload tokens, as accounts make them for the pages of their visitors. */
import type * as v from "valibot";

import { sealUploadToken, type UploadGrant } from "../../account/upload-tokens.ts";
import { vaultOf } from "../../account/vault.ts";
import { checkPlaces } from "../../contract/outputs.ts";
import type { UploadBody } from "../../contract/request.ts";
import { parseUploadToken, type UploadTerms, type UploadTokenCreated } from "../../contract/upload-tokens.ts";
import { judge } from "../../pipeline/process.ts";
import { accountOf, type AppContext, baseOf, keyIdOf } from "../context.ts";
import { readJson } from "../json-body.ts";
import { checkCallable, checkExplained, refuseInBinary } from "./processing.ts";

/** POST /1.0/upload-tokens: what an upload would be refused for later is refused now. */
export async function addUploadToken(c: AppContext): Promise<Response> {
  const terms = parseUploadToken(await readJson(c));
  if (terms.data) await judgeData(c, terms.data);
  const { settings } = c.var;
  const grant = grantOf(terms, { account: accountOf(c).id, key: await keyIdOf(c) }, Date.now());
  const answer: v.InferOutput<typeof UploadTokenCreated> = {
    success: true,
    code: 201,
    token: await sealUploadToken(vaultOf(settings.vaultKeys), grant),
    url: `${baseOf(c)}/1.0/upload`,
    expires_at: new Date(grant.expiresAt).toISOString(),
  };
  return c.json(answer, 201);
}

/** @throws ApiError 422 for what cannot be combined, or is not saved in the account */
async function judgeData(c: AppContext, data: UploadBody): Promise<void> {
  const { webhook, cdn: _, ...processing } = data;
  if (data.response?.mode === "binary") refuseInBinary(data, ["webhook", "store", "outputs", "srcset"]);
  checkExplained(data);
  checkPlaces(data);
  if (webhook) checkCallable(c, webhook);
  const { settings, pipeline } = c.var;
  const { id: accountId, database } = accountOf(c);
  const ports = pipeline.portsOf(c.env, settings, baseOf(c), database);
  await judge({ accountId, processing }, ports);
}

function grantOf(terms: UploadTerms, whose: Pick<UploadGrant, "account" | "key">, now: number): UploadGrant {
  const { ttl, uses, max_bytes: maxBytes, origins, plain } = terms;
  return {
    ...whose,
    id: crypto.randomUUID(),
    expiresAt: now + ttl * 1000,
    uses,
    data: plain,
    ...(maxBytes !== undefined && { maxBytes }),
    ...(origins && { origins }),
  };
}
