/** Keystone v2, the object store of one region and its delivery network. */
import { SWIFT_ACCOUNT } from "./accounts.ts";
import type { Dialect, Received, Reply } from "./server.ts";
import { tokenOffice } from "./tokens.ts";

const ACCOUNT = "MossoCloudFS_1234";

export function swift(region: string): Dialect {
  const office = tokenOffice();
  return {
    target: ({ method, path }) => {
      const [, container, key] = new RegExp(`^/v1/${ACCOUNT}/([^/]+)/(.+)$`).exec(path) ?? [];
      return method === "PUT" && container !== undefined && key !== undefined ? { bucket: container, key } : undefined;
    },
    verify: ({ headers }) => (office.accepts(headers["x-auth-token"]) ? null : { status: 401, body: "Unauthorized" }),
    error: (status) => ({ status, body: "<html><h1>Trouble</h1></html>" }),
    stored: { status: 201 },
    listing: ({ method, path, query }) => {
      const container = new RegExp(`^/v1/${ACCOUNT}/([^/]+)$`).exec(path)?.[1];
      if (method !== "GET" || container === undefined) return undefined;
      return {
        folder: `/${container}/`,
        bucket: container,
        prefix: query.get("prefix") ?? "",
        after: query.get("marker") ?? "",
        limit: Number(query.get("limit")),
        reply: (entries) => ({
          status: 200,
          body: JSON.stringify(entries.map(({ key, bytes }) => ({ name: key, bytes, hash: "x" }))),
        }),
      };
    },
    other: (request) =>
      office.other(request) ?? authenticate(request, region, office.issue) ?? delivery(request, office.accepts),
  };
}

function authenticate(request: Received, region: string, issue: () => string): Reply | undefined {
  if (request.path !== "/v2.0/tokens") return undefined;
  const wanted = {
    auth: { "RAX-KSKEY:apiKeyCredentials": { username: SWIFT_ACCOUNT.username, apiKey: SWIFT_ACCOUNT.key } },
  };
  if (request.method !== "POST" || request.body.toString() !== JSON.stringify(wanted)) {
    const message = `Wrong key ${request.body.toString()}`;
    return { status: 401, body: JSON.stringify({ unauthorized: { code: 401, message } }) };
  }
  const service = (type: string, path: string) => ({
    name: type,
    type,
    endpoints: [
      { region: "LON", tenantId: ACCOUNT, publicURL: `${request.origin}/elsewhere/${ACCOUNT}` },
      { region: region.toUpperCase(), tenantId: ACCOUNT, publicURL: `${request.origin}${path}/${ACCOUNT}` },
    ],
  });
  const expires = new Date(Date.now() + 86_400_000).toISOString();
  const serviceCatalog = [service("rax:object-cdn", "/cdn/v1"), service("object-store", "/v1")];
  return {
    status: 200,
    body: JSON.stringify({ access: { token: { id: issue(), expires }, serviceCatalog, user: {} } }),
  };
}

/** Every container is served by the network, but for `unlisted`. */
function delivery(request: Received, accepts: (token: string | undefined) => boolean): Reply | undefined {
  const container = new RegExp(`^/cdn/v1/${ACCOUNT}/([^/]+)$`).exec(request.path)?.[1];
  if (container === undefined || request.method !== "HEAD") return undefined;
  if (!accepts(request.headers["x-auth-token"])) return { status: 401 };
  if (container === "unlisted") return { status: 404 };
  return {
    status: 204,
    headers: {
      "x-cdn-enabled": container === "disabled" ? "False" : "True",
      "x-cdn-ssl-uri": `${request.origin}/${container}`,
      "x-cdn-uri": request.origin.replace("127.0.0.1", "localhost") + `/${container}`,
    },
  };
}
