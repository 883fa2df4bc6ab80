/** The client of the package against the service itself, and where the service does not answer. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { imageAttributes, styleText } from "#clients/attributes";
import {
  CapacityError,
  ConnectionError,
  createClient,
  CredentialsError,
  DarkroomError,
  ImageError,
  NotFoundError,
  RequestError,
} from "#clients/client";
import { OPERATIONS } from "#clients/operations";
import { readNotification, SignatureError } from "#clients/webhooks";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { newSecret, signatureHeaders } from "../../src/webhook/sign.ts";
import { openAccount } from "../support/accounts.ts";
import { damaged, shortPipeline } from "../support/pipeline.ts";
import { receiver } from "../support/webhooks.ts";

const BASE = "https://darkroom.test";
const IMAGE = new Uint8Array([1, 2, 3, 4]);

beforeEach(() => forgetKeys());

/** A client of the service in this isolate. */
function clientOf(key: string, pipeline = shortPipeline) {
  const app = createApp(pipeline);
  const send = async (address: RequestInfo | URL, init?: RequestInit) =>
    app.fetch(new Request(address as string, init as never), env, createExecutionContext());
  return createClient({ baseURL: `${BASE}/`, key, fetch: send as typeof fetch });
}

/** A client whose requests are answered with these, one after the other. */
function answeredWith(...answers: readonly (Response | Error)[]) {
  const sent: Request[] = [];
  const send = async (address: RequestInfo | URL, init?: RequestInit) => {
    sent.push(new Request(address as string, init as never));
    const answer = answers[sent.length - 1];
    if (!(answer instanceof Response)) throw answer ?? new Error("asked once too often");
    return answer;
  };
  return { sent, client: createClient({ baseURL: BASE, key: "key", fetch: send as typeof fetch }) };
}

const busy = () =>
  Response.json(
    { success: false, code: 503, id: "1", message: "No capacity" },
    { status: 503, headers: { "Retry-After": "0" } },
  );

describe("the client", () => {
  it("uploads a file, and fetches an address", async () => {
    const { key } = await openAccount();
    const client = clientOf(key);
    const uploaded = await client.upload(new File([IMAGE], "harbor.png"), { resize: { width: 2 } });
    expect(uploaded).toMatchObject({ success: true, input: { name: "harbor.png" } });
    const named = await client.upload(IMAGE, {}, { name: "köln.png" });
    expect(named.input.name).toBe("köln.png");
    const fetched = await client.fetch("https://images.test/a.png", { output: { format: "png" } });
    expect(fetched.output.url).toMatch(/^https?:/);
  });

  it("gives bytes with what is said of them, and ids of jobs", async () => {
    const { key } = await openAccount();
    const client = clientOf(key);
    const { metadata, blob } = await client.upload(IMAGE, { response: { mode: "binary" } });
    expect(metadata.success).toBe(true);
    expect((await blob()).size).toBe(metadata.output.bytes);
    const bare = await client.upload(IMAGE, { response: { mode: "binary", keep: false } });
    expect(bare.metadata.output.url).toBeUndefined();
    const accepted = await client.fetch("https://images.test/a.png", { webhook: { url: receiver().url } });
    expect(accepted.code).toBe(202);
  });

  it("calls every operation by its name in the document", async () => {
    const { key } = await openAccount();
    const client = clientOf(key);
    const { delivery } = await client.call("addDelivery", {
      body: { name: "Site", sources: [{ kind: "web", prefix: "https://www.example.com/" }] },
    });
    const path = { delivery: delivery.id };
    expect((await client.call("findDelivery", { path })).delivery).toEqual(delivery);
    expect((await client.call("listDeliveries", { query: { limit: "1" } })).deliveries).toHaveLength(1);
    await client.call("removeDelivery", { path });
    await expect(client.call("findDelivery", { path })).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.call("toString" as "showHealth", {})).rejects.toThrow("toString is no operation of the API");
    const known = ROUTES.map(({ operationId }) => operationId);
    expect(known).toEqual(expect.arrayContaining(Object.keys(OPERATIONS)));
  });

  it("throws a class for each thing that a program does about a failure", async () => {
    const { key } = await openAccount();
    await expect(clientOf("wrong").call("showAccount", {})).rejects.toBeInstanceOf(CredentialsError);
    const wrong = clientOf(key).upload(IMAGE, { resize: { width: -1 } });
    await expect(wrong).rejects.toMatchObject({ name: "RequestError", status: 422, message: /^resize\.width / });
    await expect(clientOf(key, damaged).upload(IMAGE)).rejects.toBeInstanceOf(RequestError);
    const inHeaders = clientOf(key).upload(IMAGE, { resize: { width: -1 }, response: { mode: "binary" } });
    await expect(inHeaders).rejects.toMatchObject({ status: 422, id: expect.stringMatching(/^[\da-f-]{36}$/) });
  });

  it("takes the word of a failure where it has one", async () => {
    const failure = { success: false, code: 422, id: "1", message: "…", error: "image.damaged", param: "file" };
    const { client } = answeredWith(Response.json(failure, { status: 422 }));
    const caught = await client.upload(IMAGE).catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(ImageError);
    expect(caught).toBeInstanceOf(DarkroomError);
    expect(caught).toMatchObject({ error: "image.damaged", param: "file", name: "ImageError" });
  });

  it("sends a request again while there is no room, under the same key", async () => {
    const { client, sent } = answeredWith(busy(), busy(), Response.json({ success: true }));
    await client.upload(IMAGE);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    const { client: unlucky } = answeredWith(busy(), busy(), busy());
    await expect(unlucky.upload(IMAGE)).rejects.toBeInstanceOf(CapacityError);
  });

  it("leaves nothing at a signal that outlives its waits", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const { client } = answeredWith(busy(), busy(), Response.json({ success: true }));
    await client.upload(IMAGE, {}, { signal });
    expect(removed).toHaveBeenCalledTimes(2);
    const [own, left] = [added, removed].map(({ mock }) => mock.calls.map(([, listener]) => listener));
    expect(own).toEqual(expect.arrayContaining(left ?? []));
  });

  it("says that nobody answers, and leaves an abort to its caller", async () => {
    await expect(answeredWith(new Error("refused")).client.upload(IMAGE)).rejects.toBeInstanceOf(ConnectionError);
    const reason = new Error("enough");
    const aborted = answeredWith(new Error("refused")).client.upload(IMAGE, {}, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(() => createClient({ baseURL: "darkroom.test", key: "key" })).toThrow("baseURL must be");
  });
});

describe("a notification", () => {
  const body = JSON.stringify({ success: true, code: 200, id: "ü" });
  const now = 1_700_000_000_000;

  it("is read where its signature is right, by the secret in force or the one before", async () => {
    const [first, second] = [newSecret(), newSecret()];
    const headers = await signatureHeaders("msg_1", now / 1000, body, [first, second]);
    for (const secret of [first, second, [newSecret(), second]]) {
      expect(await readNotification({ headers, body }, secret, { now })).toEqual(JSON.parse(body));
    }
    const bytes = { headers: new Headers(headers), body: new TextEncoder().encode(body) };
    expect(await readNotification(bytes, first, { now: now + 299_000 })).toEqual(JSON.parse(body));
  });

  it("is refused where it is another one, another's, or of another time", async () => {
    const secret = newSecret();
    const headers = await signatureHeaders("msg_1", now / 1000, body, [secret]);
    const wrong = [
      readNotification({ headers, body: `${body} ` }, secret, { now }),
      readNotification({ headers: { ...headers, "webhook-id": "msg_2" }, body }, secret, { now }),
      readNotification({ headers, body }, newSecret(), { now }),
      readNotification({ headers, body }, secret, { now: now + 301_000 }),
      readNotification({ headers: {}, body }, secret, { now }),
      readNotification({ headers: { ...headers, "webhook-signature": "v1,%%%" }, body }, secret, { now }),
      readNotification({ headers: { ...headers, "webhook-signature": "v1a,AAAA" }, body }, secret, { now }),
      readNotification({ headers, body }, secret, { now: now - 301_000 }),
      readNotification({ headers, body }, secret, { now, tolerance: Number.NaN }),
      readNotification({ headers: { ...headers, "webhook-timestamp": `${now / 1000 + 1}` }, body }, secret, { now }),
      readNotification({ headers, body }, [], { now }),
    ];
    for (const one of wrong) await expect(one).rejects.toBeInstanceOf(SignatureError);
  });

  it("is refused before its body is read where it has more signatures than secrets can be in force", async () => {
    const secret = newSecret();
    const headers = await signatureHeaders("msg_1", now / 1000, body, [secret]);
    const [right = ""] = Object.values(headers).slice(-1);
    const other = `v1,${new Uint8Array(32).toBase64()}`;
    const read = (signatures: string[]) =>
      readNotification({ headers: { ...headers, "webhook-signature": signatures.join(" ") }, body }, secret, { now });
    const verify = vi.spyOn(crypto.subtle, "verify");
    await expect(read([...Array<string>(16).fill(other), right])).rejects.toBeInstanceOf(SignatureError);
    expect(verify).not.toHaveBeenCalled();
    await expect(read(["v1,AAAA", "v1a,AAAA", other, right])).resolves.toEqual(JSON.parse(body));
    expect(verify).toHaveBeenCalledTimes(2);
    verify.mockRestore();
  });
});

describe("the attributes of a picture", () => {
  const place = { baseURL: `${BASE}/i/dl_1`, widths: [1280, 320, 640, 2560] };
  const picture = { src: "/a.jpg", alt: "A", width: 500, height: 250 };

  it("have the candidates that screens gain from, of those that the delivery lists", () => {
    const { srcset, src, sizes, style, loading } = imageAttributes(place, picture);
    expect(srcset.match(/\d+w/g)).toEqual(["320w", "640w", "1280w"]);
    expect(src).toBe(`${BASE}/i/dl_1/width=640/a.jpg`);
    expect(sizes).toBe("(min-width: 500px) 500px, 100vw");
    expect(loading).toBe("lazy");
    expect(styleText(style)).toContain("aspect-ratio: 500 / 250");
    expect(imageAttributes(place, { ...picture, layout: "full" }).srcset).toContain(" 2560w");
    expect(imageAttributes(place, { ...picture, width: 9_999 }).src).toContain("width=2560");
    expect(() => imageAttributes({ baseURL: BASE }, picture)).toThrow("widths must list");
  });

  it("show a placeholder, and load at once what one sees first", () => {
    expect(imageAttributes(place, { ...picture, placeholder: "#335577" }).style).toMatchObject({
      backgroundColor: "#335577",
    });
    const { style, loading, fetchpriority } = imageAttributes(place, {
      ...picture,
      placeholder: 'data:image/svg+xml,<svg a="b"/>',
      priority: true,
    });
    expect(style["backgroundImage"]).toBe('url("data:image/svg+xml,<svg a=%22b%22/>")');
    expect([loading, fetchpriority]).toEqual(["eager", "high"]);
  });
});
