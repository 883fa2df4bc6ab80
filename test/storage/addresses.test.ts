/** What is sent where no emulator stands in: the real addresses, and signatures that others computed. */
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";

import { type SpelledStore, Store } from "../../src/storage/providers.ts";
import { putInStore } from "../../src/storage/store.ts";
import { BLOB_ACCOUNT } from "../support/stores/accounts.ts";

const NOW = Date.UTC(2024, 0, 2, 3, 4, 5);
const hello = { bytes: new TextEncoder().encode("hello"), mime: "image/png", name: "c.png" };
const policy = { storeHosts: ["objects.example.com", "minio.internal", "10.1.2.3"], allowPrivateOrigins: false };

afterEach(() => {
  vi.unstubAllGlobals();
});

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

/** Uploads with a `fetch` that answers as `answer` says, and gives what was sent. */
async function sent(
  store: object,
  answer: (url: string) => Response = () => new Response(),
  providerEndpoints: Record<string, string> = {},
) {
  const requests: Sent[] = [];
  vi.stubGlobal("fetch", async (url: string, init: { headers: Headers }) => {
    requests.push({ url, headers: init.headers });
    return answer(url);
  });
  const spelled = v.parse(Store, { path: "a b/c.png", ...store }) as SpelledStore;
  const { url } = await putInStore(spelled, hello, {
    policy: { ...policy, providerEndpoints },
    keyfile: undefined,
    now: () => NOW,
  });
  return { url, requests, headers: requests.at(-1)?.headers ?? new Headers() };
}

const metadata = { author: "Jane" };

describe("signatures computed by others", () => {
  const aws = {
    provider: "aws",
    key: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    bucket: "my-bucket",
    region: "eu-central-1",
  };

  it("provider-a: Signature Version 4 with a class, tags, metadata and headers", async () => {
    const store = {
      class: "standard-ia",
      tags: { env: "prod", team: "img" },
      headers: { "cache-control": "max-age=60" },
    };
    const { headers, url } = await sent({ ...aws, ...store, metadata });
    expect(url).toBe("https://my-bucket.s3.eu-central-1.amazonaws.com/a%20b/c.png");
    expect(headers.get("x-amz-storage-class")).toBe("STANDARD_IA");
    expect(headers.get("x-amz-tagging")).toBe("env=prod&team=img");
    expect(headers.get("authorization")).toMatch(
      /Signature=760fbc6c003f7eff4dc5403401077ee5cfbdd1177f9d87e77495dd6cb8b15a08$/,
    );
  });

  it("provider-b: the same on the interoperable XML API", async () => {
    const store = {
      provider: "google",
      key: "GOOG1EXAMPLEACCESSID",
      secret: "exampleSecretForTests",
      bucket: "my-bucket",
    };
    const { headers, url } = await sent({ ...store, metadata });
    expect(url).toBe("https://storage.googleapis.com/my-bucket/a%20b/c.png");
    expect(headers.get("authorization")).toMatch(
      /Signature=b11745522cd3df1db320fd0a6295c7f098dfcaeb3b348979011c23309205c850$/,
    );
  });

  it("provider-c: OSS Signature Version 4, the region with or without its prefix", async () => {
    for (const region of ["eu-central-1", "oss-eu-central-1"]) {
      const store = { provider: "alibaba", key: "id123", secret: "secret123", bucket: "my-bucket", region };
      const { headers, url } = await sent({ ...store, metadata });
      expect(url).toBe("https://my-bucket.oss-eu-central-1.aliyuncs.com/a%20b/c.png");
      expect(headers.get("authorization")).toBe(
        "OSS4-HMAC-SHA256 Credential=id123/20240102/eu-central-1/oss/aliyun_v4_request,Signature=78bea30d3157f62677d76ce85a359db0d83087999022edcc0c3b37977ea35e79",
      );
    }
  });

  it("provider-e: Shared Key", async () => {
    const store = { provider: "azure", ...BLOB_ACCOUNT, container: "my-container" };
    const { headers, url } = await sent({ ...store, metadata, headers: { "Cache-Control": "max-age=60" } });
    expect(url).toBe("https://devstoreaccount1.blob.core.windows.net/my-container/a%20b/c.png");
    expect(headers.get("authorization")).toBe(
      "SharedKey devstoreaccount1:CI7leX9fGDMwCvTy3OIzZKrqoyWZhFMTXXWCgkZ2P4M=",
    );
  });

  it("provider-g: Signature Version 4 on the Space's host", async () => {
    const store = { provider: "digitalocean", key: "DO00EXAMPLE", secret: "doSecretForTests", bucket: "my-space" };
    const { headers, url } = await sent({ ...store, region: "fra1", metadata });
    expect(url).toBe("https://my-space.fra1.digitaloceanspaces.com/a%20b/c.png");
    expect(headers.get("authorization")).toMatch(
      /Signature=d7add56ce579f032028bee6ac2eacfe7a5015fa4ad6cf71c451d84280a40189d$/,
    );
  });
});

describe("provider-a", () => {
  const aws = { provider: "provider-a", key: "id", secret: "secret", region: "us-east-1" };

  it("addresses by path what does not fit into a host name, and China by its own domain", async () => {
    expect((await sent({ ...aws, bucket: "a.b" })).url).toBe("https://s3.us-east-1.amazonaws.com/a.b/a%20b/c.png");
    expect((await sent({ ...aws, bucket: "abc", region: "cn-north-1" })).url).toBe(
      "https://abc.s3.cn-north-1.amazonaws.com.cn/a%20b/c.png",
    );
  });

  it("sends every class by its upper-case name", async () => {
    const classes = {
      standard: null,
      "reduced-redundancy": "REDUCED_REDUNDANCY",
      "standard-ia": "STANDARD_IA",
      "onezone-ia": "ONEZONE_IA",
      "intelligent-tiering": "INTELLIGENT_TIERING",
      glacier: "GLACIER",
      "deep-archive": "DEEP_ARCHIVE",
    };
    for (const [name, header] of Object.entries(classes)) {
      const { headers } = await sent({ ...aws, bucket: "abc", class: name });
      expect(headers.get("x-amz-storage-class")).toBe(header);
    }
  });
});

describe("a bucket that forbids public access lists", () => {
  const key = { key: "id", secret: "secret", bucket: "abc" };

  it.each([
    [
      { provider: "aws", ...key, region: "eu-west-1" },
      403,
      "<Code>AccessDenied</Code> prevented by the BlockPublicAcls setting",
    ],
    [{ provider: "google", ...key }, 412, "not allowed since public access prevention is enforced"],
  ])("gets the object without one: $provider", async (store, status, text) => {
    let attempts = 0;
    const { headers } = await sent(store, () => (++attempts === 1 ? new Response(text, { status }) : new Response()));
    expect(attempts).toBe(2);
    expect(headers.has("x-amz-acl")).toBe(false);
  });

  it("gets nothing when the caller named the list", async () => {
    const store = { provider: "google", ...key, acl: "publicRead" };
    await expect(sent(store, () => new Response("public access prevention", { status: 412 }))).rejects.toThrow(
      "store: google answered 412",
    );
  });
});

describe("provider-d", () => {
  const store = { provider: "rackspace", username: "u", key: "k1", container: "pictures", region: "dfw" };
  const endpoints = (path: string) => [{ region: "DFW", publicURL: `https://files.example.com${path}` }];
  const access = {
    token: { id: "t", expires: "2024-01-03T03:04:05Z" },
    serviceCatalog: [
      { type: "object-store", endpoints: endpoints("/v1/a") },
      { type: "rax:object-cdn", endpoints: endpoints("/cdn/a") },
    ],
  };
  const cdn = {
    "x-cdn-enabled": "True",
    "x-cdn-uri": "http://c.example.com",
    "x-cdn-ssl-uri": "https://c.example.com",
  };
  const answer = (url: string) =>
    url.endsWith("/tokens") ? Response.json({ access }) : new Response(null, { headers: cdn });

  it("links through the delivery network, by TLS unless told otherwise", async () => {
    const { url, requests } = await sent(store, answer);
    expect(url).toBe("https://c.example.com/a%20b/c.png");
    expect(requests.map((request) => request.url)).toEqual([
      "https://identity.api.rackspacecloud.com/v2.0/tokens",
      "https://files.example.com/cdn/a/pictures",
      "https://files.example.com/v1/a/pictures/a%20b/c.png",
    ]);
    expect((await sent({ ...store, secure: false }, answer)).url).toBe("http://c.example.com/a%20b/c.png");
  });

  it("stores nothing in a container that the network does not serve", async () => {
    const disabled = (url: string) => (url.endsWith("/tokens") ? answer(url) : new Response(null, { status: 404 }));
    await expect(sent({ ...store, key: "k2" }, disabled)).rejects.toThrow(
      "store.container must exist and be enabled for delivery (CDN)",
    );
  });

  it("asks the British office for British accounts, and refuses regions without files", async () => {
    await expect(sent({ ...store, key: "k3", region: "lon" }, answer)).rejects.toThrow(
      "store.region must be one where the account has files",
    );
  });

  it("does not guess at an answer that makes no sense", async () => {
    await expect(sent({ ...store, key: "k4" }, () => new Response("<html>"))).rejects.toThrow(
      "store: rackspace gave an answer that cannot be read",
    );
  });
});

describe("provider-e", () => {
  it("takes an emulator's address with the account or without", async () => {
    for (const base of ["http://127.0.0.1:10000", "http://127.0.0.1:10000/devstoreaccount1/"]) {
      const store = { provider: "azure", ...BLOB_ACCOUNT, container: "$web" };
      expect((await sent(store, undefined, { azure: base })).url).toBe(
        "http://127.0.0.1:10000/devstoreaccount1/$web/a%20b/c.png",
      );
    }
  });
});

describe("provider-f", () => {
  it("buys its token from the IAM and addresses by path", async () => {
    const answer = (url: string) =>
      url.endsWith("/token") ? Response.json({ access_token: "t", expires_in: 3600 }) : new Response();
    const { url, requests } = await sent({ provider: "softlayer", key: "k", bucket: "abc", region: "eu-de" }, answer);
    expect(url).toBe("https://s3.eu-de.cloud-object-storage.appdomain.cloud/abc/a%20b/c.png");
    expect(requests[0]?.url).toBe("https://iam.cloud.ibm.com/identity/token");
    expect(requests[1]?.headers.get("authorization")).toBe("Bearer t");
  });
});

describe("s3", () => {
  const store = { provider: "s3", key: "id", secret: "secret", bucket: "abc", endpoint: "https://objects.example.com" };

  it("addresses by path, links as told, and signs for the region auto", async () => {
    const { url, headers } = await sent(store);
    expect(url).toBe("https://objects.example.com/abc/a%20b/c.png");
    expect(headers.get("authorization")).toContain("/auto/s3/aws4_request");
    expect(headers.get("x-amz-acl")).toBeNull();
    const linked = await sent({
      ...store,
      endpoint: "https://objects.example.com/base/",
      public_url: "https://cdn.example.com/x/",
    });
    expect(linked.url).toBe("https://cdn.example.com/x/a%20b/c.png");
    expect(linked.requests[0]?.url).toBe("https://objects.example.com/base/abc/a%20b/c.png");
  });

  it.each([
    ["http://objects.example.com", "store.endpoint must be an https URL"],
    ["https://127.0.0.1", "store.endpoint must have a public address"],
    ["https://localhost", "store.endpoint must have a public address"],
    ["https://[::1]", "store.endpoint must have a public address"],
    ["https://169.254.169.254", "store.endpoint must have a public address"],
    ["https://10.1.2.3", "store.endpoint must have a public address"],
    ["https://other.internal", "store.endpoint must have a public address"],
    ["https://elsewhere.example.com", "store.endpoint must be on a host that the operator has allowed"],
  ])("refuses %s", async (endpoint, message) => {
    await expect(sent({ ...store, endpoint })).rejects.toThrow(message);
  });

  it("calls a host of the operator's own network that the operator has listed", async () => {
    const { requests } = await sent({ ...store, endpoint: "https://minio.internal:9000" });
    expect(requests[0]?.url).toBe("https://minio.internal:9000/abc/a%20b/c.png");
  });

  it.each([
    "https://u:p@objects.example.com",
    "https://objects.example.com/?a",
    "https://objects.example.com/#a",
    "ftp://x",
    "x",
  ])("refuses an endpoint that is more than an origin and a path", (endpoint) => {
    expect(v.is(Store, { ...store, endpoint })).toBe(false);
  });
});
