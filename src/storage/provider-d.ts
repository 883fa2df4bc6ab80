/** Swift behind Keystone v2: an API key is exchanged for a token and a catalog of addresses. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { flag, oneOf } from "../fields.ts";
import { MAX_LIST_ANSWER_BYTES } from "../limits/stores.ts";
import { withoutEnd } from "../without-end.ts";
import { credential, metadata, objectHeaders, objectPath, pattern } from "./attributes.ts";
import { encodeKey, encodeSegment } from "./path.ts";
import { MARK, provider } from "./provider.ts";
import { servedHeaders } from "./s3.ts";
import { type Answer, readJson, type Session } from "./session.ts";
import { type Grant, grantOf, withGrant } from "./tokens.ts";

const REGIONS = ["iad", "dfw", "hkg", "syd", "ord", "lon"] as const;

export const providerD = provider({
  summary: "Rackspace Cloud Files.",
  code: "provider-d",
  aliases: ["rackspace"],
  credentials: { username: credential(), key: credential() },
  params: {
    // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
    container: pattern(/^(?!\.{1,2}$)[^/\u0000-\u001f\u007f]{1,256}$/, "must be a container name without slashes"),
    region: oneOf(REGIONS),
    path: v.optional(objectPath()),
    secure: v.optional(flag(), true),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Content-Type", "Content-Encoding", "Content-Disposition"])),
  },
  put: async (store, object, session) => {
    const container = encodeSegment(store.container);
    let publicUrl: string | undefined;
    const identity = identityOf(session, store);
    const answer = await withGrant(
      session,
      identity,
      () => grantFor(store, session),
      async ({ token, files, cdn }) => {
        // The delivery network first, so that nothing is stored which could not be linked to.
        const headers = new Headers({ "x-auth-token": token });
        const delivery = await session.send(() => ({ url: `${cdn}/${container}`, method: "HEAD", headers }));
        if (delivery.status === 401 || isDown(delivery)) return delivery;
        publicUrl = deliveryUrl(delivery, store.secure);
        return session.send(() => {
          const served = servedHeaders(object, store);
          served.set("x-auth-token", token);
          if (object.mark !== undefined) served.set(`x-object-meta-${MARK}`, object.mark);
          // The only condition that there is here.
          if (object.condition?.is === "absent") served.set("if-none-match", "*");
          for (const [name, value] of Object.entries(store.metadata ?? {})) served.set(`x-object-meta-${name}`, value);
          return {
            url: `${files}/${container}/${encodeKey(object.key)}`,
            method: "PUT",
            headers: served,
            body: object.bytes,
          };
        });
      },
    );
    if (!answer.ok || publicUrl === undefined) throw session.refusal(answer);
    return `${publicUrl}/${encodeKey(object.key)}`;
  },
  read: async (store, key, session) => {
    const { grant, forget } = await grantOf(session, identityOf(session, store), () => grantFor(store, session));
    const url = `${grant.files}/${encodeSegment(store.container)}/${encodeKey(key)}`;
    return { url, headers: new Headers({ "x-auth-token": grant.token }), isOpen: true, forget };
  },
  list: async (store, { prefix, cursor, limit }, session) => {
    const query = new URLSearchParams({ format: "json", prefix, limit: String(limit) });
    if (cursor !== undefined) query.set("marker", cursor);
    const answer = await withGrant(
      session,
      identityOf(session, store),
      () => grantFor(store, session),
      ({ token, files }) => {
        const url = `${files}/${encodeSegment(store.container)}?${query.toString().replaceAll("+", "%20")}`;
        return session.send(
          () => ({ url, method: "GET", headers: new Headers({ "x-auth-token": token }) }),
          MAX_LIST_ANSWER_BYTES,
        );
      },
    );
    // A container with nothing behind the cursor has no body.
    if (answer.status === 204) return { objects: [] };
    const objects = readJson(session, answer, Listed).map(({ name, bytes }) => ({ key: name, bytes }));
    const last = objects.at(-1);
    return { objects, ...(objects.length === limit && last && { cursor: last.key }) };
  },
  cursorAfter: (key) => key,
  told: (answered) => ({
    mark: answered.get(`x-object-meta-${MARK}`) ?? undefined,
    version: answered.get("etag") ?? undefined,
  }),
});

const Listed = v.array(v.object({ name: v.string(), bytes: v.number() }));

/** What a token was given for. */
function identityOf(session: Session, store: { username: string; key: string; region: string }): readonly string[] {
  return ["provider-d", session.base ?? "", store.username, store.key, store.region];
}

function isDown(answer: Answer): boolean {
  return answer.status >= 500;
}

/** @throws ApiError 422 when the container is not there or not given to the delivery network */
function deliveryUrl(answer: Answer, secure: boolean): string {
  const enabled = answer.ok && answer.headers.get("x-cdn-enabled")?.toLowerCase() === "true";
  const url = answer.headers.get(secure ? "x-cdn-ssl-uri" : "x-cdn-uri");
  if (!enabled || url === null || !URL.canParse(url)) {
    throw new ApiError(422, "store.container must exist and be enabled for delivery (CDN)");
  }
  return withoutEnd(url, "/");
}

interface FilesGrant extends Grant {
  /** Addresses of the account in the region: of its objects, and of what the delivery network knows of them. */
  readonly files: string;
  readonly cdn: string;
}

const Access = v.object({
  access: v.object({
    token: v.object({ id: v.string(), expires: v.string() }),
    serviceCatalog: v.array(
      v.object({
        type: v.string(),
        endpoints: v.array(v.object({ region: v.optional(v.string()), publicURL: v.pipe(v.string(), v.url()) })),
      }),
    ),
  }),
});

/** @throws ApiError 422 when the key is refused or the account has nothing in the region */
async function grantFor(
  store: { username: string; key: string; region: (typeof REGIONS)[number] },
  session: Session,
): Promise<FilesGrant> {
  const home =
    store.region === "lon" ? "https://lon.identity.api.rackspacecloud.com" : "https://identity.api.rackspacecloud.com";
  const answer = await session.send(() => ({
    url: `${session.base ?? home}/v2.0/tokens`,
    method: "POST",
    headers: new Headers({ accept: "application/json", "content-type": "application/json" }),
    body: JSON.stringify({
      auth: { "RAX-KSKEY:apiKeyCredentials": { username: store.username, apiKey: store.key } },
    }),
  }));
  const { token, serviceCatalog } = readJson(session, answer, Access).access;
  const addressOf = (type: string) => {
    const endpoints = serviceCatalog.find((service) => service.type === type)?.endpoints;
    const address = endpoints?.find((endpoint) => endpoint.region === store.region.toUpperCase())?.publicURL;
    return address === undefined ? undefined : withoutEnd(address, "/");
  };
  const files = addressOf("object-store");
  const cdn = addressOf("rax:object-cdn");
  if (files === undefined || cdn === undefined)
    throw new ApiError(422, "store.region must be one where the account has files");
  return { token: token.id, expiresAt: Date.parse(token.expires), files, cdn };
}
