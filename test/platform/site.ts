/** A site on the simulated platform: an account with a delivery, an origin of one picture, a receiver of notifications. */
import { env } from "cloudflare:workers";

import { vaultOf } from "../../src/account/vault.ts";
import { parseDelivery } from "../../src/contract/deliveries.ts";
import { createDelivery } from "../../src/delivery/records.ts";
import { settingsOf } from "../../src/env.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import type { Platform } from "./platform.ts";

export const PREFIX = "https://www.example.com/uploads/";
export const HOOK = "https://hooks.example.com/done";
const AVIF = "image/avif,image/webp,image/*,*/*;q=0.8";
/** An origin of one picture under every name, which says when it has not changed; and a receiver of notifications. */
export const web = (request: Request): Response => {
  if (request.url === HOOK) return new Response("");
  const headers = { etag: '"one"', "content-length": String(photo.byteLength) };
  if (request.headers.get("if-none-match") === '"one"') return new Response(null, { status: 304, headers });
  return new Response(photo.slice(0), { headers });
};

/** An account with a delivery, on a platform that has been used a little. */
export async function site(platform: Platform) {
  const { account, key, keyId } = await openAccount(1_000_000);
  const shelf = { db: env.DB, vault: vaultOf(settingsOf(env).vaultKeys) };
  const rules = parseDelivery({ sources: [{ kind: "web", prefix: PREFIX }], unsigned: { widths: [16, 24] } });
  const { delivery } = await createDelivery(shelf, account.id, rules, new Date());
  const auth = { authorization: `Bearer ${key}` };
  const post = (path: string, json: object) =>
    platform.ask(path, {
      method: "POST",
      body: JSON.stringify(json),
      headers: { ...auth, "content-type": "application/json" },
    });
  const form = (data: object): RequestInit => {
    const body = new FormData();
    body.set("file", new File([photo], "a.jpg"));
    body.set("data", JSON.stringify(data));
    return { method: "POST", body, headers: auth };
  };
  const upload = (data: object) => platform.ask("/1.0/upload", form(data));
  const pathOf = (name: string) => `/i/${delivery.id}/w=24/${PREFIX}${name}`;
  const see = (name: string, accept = AVIF) => platform.ask(pathOf(name), { headers: { accept } });
  const purge = (json: object) => post(`/1.0/deliveries/${delivery.id}/purge`, json);
  const get = (path: string, headers: Record<string, string> = auth) => platform.ask(path, { headers });
  return { account, key, keyId, pathOf, form, upload, post, get, see, purge };
}

export type Site = Awaited<ReturnType<typeof site>>;
