/** Signers: saved, listed without what is secret, and at work on every way that a result can take. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { readPem } from "../../src/image/provenance/certificate.ts";
import { verifyFile } from "../../src/image/provenance/verify.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { putTrust } from "../../src/storage/trust.ts";
import plainFile from "../fixtures/jpeg/s420.jpg";
import jpegFile from "../fixtures/provenance/signed-es256.jpg";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { apiOf, type Call } from "../support/api.ts";
import { deliveryWorld, file, forgetEdges, originOf } from "../support/delivery.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { AUTHORITY, SIGNERS } from "../support/test-signers.ts";
import { receiver } from "../support/webhooks.ts";

const api = apiOf(pipeline);
const SIGNED = new Uint8Array(jpegFile);
const NEW = { name: "prints", ...SIGNERS.es384 };
const NOW = Date.parse("2026-12-01T00:00:00Z");

let key = "";
beforeEach(async () => {
  vi.restoreAllMocks();
  forgetKeys();
  ({ key } = await openAccount());
});

async function upload(data: object, call: Call = {}) {
  const body = new FormData();
  body.set("file", new File([SIGNED.slice()], "photo.jpg"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body, ...call });
}

/** Who has signed a result of ours, and what it is worth. */
async function signedBy(bytes: Uint8Array) {
  const found = await verifyFile(bytes, FORMATS.jpeg.manifest, { anchors: async () => readPem(AUTHORITY), now: NOW });
  return found && { state: found.state, generator: found.manifests[0]?.generator, manifests: found.manifests.length };
}

const OURS = { state: "trusted", generator: "Service 1.0", manifests: 2 };

async function resultAt(url: string): Promise<Uint8Array> {
  return (await api("GET", new URL(url).pathname)).bytes;
}

describe("a signer", () => {
  it("is saved, shown without its key, and deleted", async () => {
    const { status, body } = await api("POST", "/1.0/signers", { key, json: NEW });
    expect(status).toBe(201);
    const { id } = body.signer;
    expect(body.signer).toMatchObject({ name: "prints", algorithm: "ES384", holder: "Darkroom test signer" });
    const list = await api("GET", "/1.0/signers", { key });
    expect(list.body.signers).toEqual([body.signer]);
    expect((await api("GET", `/1.0/signers/${id}`, { key })).body.signer).toEqual(body.signer);
    const rows = await env.DB.prepare("SELECT * FROM assets").all();
    expect(JSON.stringify([list.body, rows.results])).not.toContain("PRIVATE KEY");
    const { key: other } = await openAccount();
    expect((await api("GET", `/1.0/signers/${id}`, { key: other })).status).toBe(404);
    expect((await api("DELETE", `/1.0/signers/${id}`, { key })).status).toBe(200);
    expect((await upload({ output: { provenance: "sign" } })).status).toBe(422);
  });

  it.for([
    [{ ...NEW, key: SIGNERS.ps256.key }, "key must be a private key in PEM (PKCS#8, not encrypted) for the algorithm"],
    [{ ...NEW, certificates: "x" }, "certificates must be 1 to 16 certificates in PEM, that of the signer first"],
    [{ ...NEW, algorithm: "RS256" }, "algorithm must be one of ES256, ES384, PS256, Ed25519"],
  ] as const)("is refused by the member that is wrong: %s", async ([json, message]) => {
    const { status, body } = await api("POST", "/1.0/signers", { key, json });
    expect({ status, message: body.message }).toEqual({ status: 422, message });
  });

  it.each([
    ["http://10.0.0.1/", "tsa must have a public address"],
    ["http://[::1]/", "tsa must have a public address"],
    ["http://8.8.8.8/", "tsa must name a host, not an IP address"],
  ])("asks no private address, and no number, for the time: %s", async (tsa, message) => {
    const json = { ...NEW, tsa };
    const { status, body } = await api("POST", "/1.0/signers", { key, json, env: { ALLOW_PRIVATE_ORIGINS: false } });
    expect({ status, message: body.message }).toEqual({ status: 422, message });
  });

  it("asks its authority for the time, and signs without an answer", async () => {
    const asked: Uint8Array[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_input, init) => {
      asked.push(new Uint8Array(init?.body as ArrayBuffer));
      return new Response("no", { status: asked.length === 1 ? 500 : 200 });
    });
    await api("POST", "/1.0/signers", { key, json: { ...NEW, tsa: "https://time.example.com/" } });
    for (const count of [1, 2]) {
      const { body } = await upload({});
      // The room for a time stamp is that of the manifest of the original.
      expect(await signedBy(await resultAt(body.output.url))).toEqual({ ...OURS, manifests: 1 });
      expect(asked).toHaveLength(count);
    }
    // A sequence of version 1, the hash of SHA-256, and that certificates are wanted.
    expect([asked[0]?.length, asked[0]?.slice(0, 5).toHex(), asked[0]?.slice(-3).toHex()]).toEqual([
      59,
      "3039020101",
      "0101ff",
    ]);
  });

  it("signs uploads and sets", async () => {
    await api("POST", "/1.0/signers", { key, json: NEW });
    const { body } = await upload({});
    expect(await signedBy(await resultAt(body.output.url))).toEqual(OURS);
    const set = await upload({ outputs: { a: {}, b: { resize: { width: 10 } } } });
    for (const name of ["a", "b"]) expect(await signedBy(await resultAt(set.body.outputs[name].url))).toEqual(OURS);
  });

  it("signs what is fetched", async () => {
    await api("POST", "/1.0/signers", { key, json: NEW });
    originOf(file(SIGNED.buffer));
    const { body } = await api("POST", "/1.0/fetch", { key, json: { url: "https://www.example.com/uploads/a.jpg" } });
    expect(await signedBy(await resultAt(body.output.url))).toEqual(OURS);
  });

  it("signs jobs with a webhook", async () => {
    await api("POST", "/1.0/signers", { key, json: NEW });
    const { url, received } = receiver();
    expect((await upload({ webhook: { url } })).status).toBe(202);
    const [notification] = await received(1);
    const { output } = JSON.parse(notification?.body ?? "{}");
    expect(await signedBy(await resultAt(output.url))).toEqual(OURS);
  });

  it("signs the finals of deliveries once, and no draft", async () => {
    originOf(file(SIGNED.buffer));
    const { getSigned: get, runFinals, stored, key: own } = await deliveryWorld();
    await api("POST", "/1.0/signers", { key: own, json: NEW });
    const draft = await get("format=jpeg");
    expect(draft.status).toBe(200);
    expect(await signedBy(draft.bytes)).toBeUndefined();
    await runFinals();
    const [final] = await stored();
    const bytes = await (await env.BUCKET.get(final?.key ?? ""))?.bytes();
    expect(await signedBy(bytes ?? new Uint8Array())).toEqual(OURS);
  });

  it("signs what goes into a store, one result, those of a set, and those of a job with a webhook", async () => {
    await api("POST", "/1.0/signers", { key, json: NEW });
    const env = { PROVIDER_ENDPOINTS: JSON.stringify(inject("storeEndpoints")), STORE_HOSTS: "objects.example.com" };
    const to = (path: string) => ({
      store: { provider: "s3", ...S3_KEYS, endpoint: "https://objects.example.com", bucket: "pictures", path },
    });
    const arrived = async (url: string) => signedBy(await (await fetch(url)).bytes());
    const { body } = await upload(to("signed/one.jpg"), { env });
    expect(await arrived(body.output.url)).toEqual(OURS);
    const set = await upload({ ...to("signed/"), outputs: { a: {}, b: { resize: { width: 10 } } } }, { env });
    for (const name of ["a", "b"]) expect(await arrived(set.body.outputs[name].url)).toEqual(OURS);
    const accepted = await upload({ ...to("signed/later.jpg"), webhook: { url: "http://127.0.0.1:9/hook" } }, { env });
    expect(accepted.status).toBe(202);
    const { body: record } = await api("GET", `/1.0/webhooks/${accepted.body.id}`, { key });
    expect(await arrived(record.webhook.payload.output.url)).toEqual(OURS);
  });

  it("of the deployment signs for accounts that have none", async () => {
    const call = { env: { SIGNER: JSON.stringify(SIGNERS.es256) } };
    const body = new FormData();
    body.set("file", new File([SIGNED.slice()], "photo.jpg"));
    const answer = await api("POST", "/1.0/upload", { key, body, ...call });
    expect(await signedBy(await resultAt(answer.body.output.url))).toEqual(OURS);
  });
});

describe("output.signer", () => {
  const ids: Record<"es256" | "es384" | "ps256", string> = { es256: "", es384: "", ps256: "" };
  beforeEach(async () => {
    for (const name of ["es256", "ps256", "es384"] as const) {
      const { body } = await api("POST", "/1.0/signers", { key, json: { name, ...SIGNERS[name] } });
      ids[name] = body.signer.id;
    }
  });

  /** The name on the certificate of the file's only signer. */
  const nameIn = (bytes: Uint8Array) => /es256|es384|ps256/.exec(new TextDecoder("latin1").decode(bytes))?.[0];
  const sign = { provenance: "sign" };

  async function uploadPlain(data: object) {
    const body = new FormData();
    body.set("file", new File([plainFile.slice()], "photo.jpg"));
    body.set("data", JSON.stringify(data));
    return api("POST", "/1.0/upload", { key, body });
  }

  it("is who signs, of those that the account has saved; where none is named, the newest does", async () => {
    expect(nameIn(await resultAt((await uploadPlain({ output: sign })).body.output.url))).toBe("es384");
    for (const name of ["es256", "es384", "ps256"] as const) {
      const { body } = await uploadPlain({ output: { ...sign, signer: ids[name] } });
      const bytes = await resultAt(body.output.url);
      expect(nameIn(bytes)).toBe(name);
      expect(await signedBy(bytes)).toEqual({ ...OURS, manifests: 1 });
    }
  });

  it("is another for each result of a set", async () => {
    const outputs = {
      a: { output: { signer: ids.es256 } },
      b: { output: { signer: ids.ps256 }, resize: { width: 10 } },
      c: { resize: { width: 12 } },
    };
    const { body } = await uploadPlain({ output: sign, outputs });
    const names = [];
    for (const name of ["a", "b", "c"]) names.push(nameIn(await resultAt(body.outputs[name].url)));
    expect(names).toEqual(["es256", "ps256", "es384"]);
  });

  it("signs nothing that would not be signed without it", async () => {
    const { status, body } = await uploadPlain({ output: { signer: ids.es256 } });
    expect(status).toBe(200);
    expect(await signedBy(await resultAt(body.output.url))).toBeUndefined();
  });

  it("is refused where it is not there, not the account's, or the deployment's, or says the opposite of drop", async () => {
    const { key: other } = await openAccount();
    const { body: saved } = await api("POST", "/1.0/signers", { key: other, json: NEW });
    const refused = async (output: object) => {
      const { status, body } = await uploadPlain({ output });
      expect(status).toBe(422);
      return body.message;
    };
    const unknown = "output.signer must be the id of a saved signer";
    for (const signer of [saved.signer.id, "q7RmX2kTz9", "es256", "'; DROP TABLE assets", 7]) {
      expect(await refused({ ...sign, signer })).toBe(unknown);
    }
    // Nobody is surprised later by a name that was wrong, whether it signs or not.
    expect(await refused({ signer: "q7RmX2kTz9" })).toBe(unknown);
    expect(await refused({ provenance: "drop", signer: ids.es256 })).toBe(
      "output must not have signer with provenance drop",
    );
    await api("DELETE", `/1.0/signers/${ids.es256}`, { key });
    expect(await refused({ ...sign, signer: ids.es256 })).toBe(unknown);
  });

  it("may stand in a preset of a delivery: drafts are signed by nobody all the same", async () => {
    originOf(file(new Uint8Array(plainFile).buffer));
    const { body } = await api("POST", "/1.0/signers", { key, json: { name: "b", ...SIGNERS.es256 } });
    const presets = { brand: { output: { format: "jpeg", provenance: "sign", signer: body.signer.id } } };
    const world = await deliveryWorld({ presets });
    const late = await api("POST", "/1.0/signers", { key: world.key, json: { name: "b", ...SIGNERS.ps256 } });
    await api("POST", "/1.0/signers", { key: world.key, json: NEW });
    const path = `/1.0/deliveries/${world.delivery.id}`;
    const own = { brand: { output: { ...presets.brand.output, signer: late.body.signer.id } } };
    expect((await api("PATCH", path, { key: world.key, json: { presets: own } })).status).toBe(200);
    const draft = await world.getSigned("preset=brand");
    expect([draft.status, await signedBy(draft.bytes)]).toEqual([200, undefined]);
    await world.runFinals();
    await forgetEdges(world.delivery.id);
    const final = await world.getSigned("preset=brand");
    expect(final.headers.get("x-service-rendition")).toBe("final");
    expect(nameIn(final.bytes)).toBe("ps256");
  });
});

describe("the provenance of a delivery", () => {
  const plain = new Uint8Array(plainFile);

  it("is auto by default, and is not sign or keep while nobody signs", async () => {
    const json = { sources: [{ kind: "web", prefix: "https://www.example.com/uploads/" }] };
    const { body } = await api("POST", "/1.0/deliveries", { key, json });
    expect(body.delivery.provenance).toBe("auto");
    const path = `/1.0/deliveries/${body.delivery.id}`;
    for (const provenance of ["sign", "keep"]) {
      for (const [method, to] of [
        ["POST", "/1.0/deliveries"],
        ["PATCH", path],
      ] as const) {
        const { status, body: refused } = await api(method, to, { key, json: { ...json, provenance } });
        expect({ status, message: refused.message }).toEqual({
          status: 422,
          message: "provenance must be auto or drop as long as no signer is saved",
        });
      }
    }
    await api("POST", "/1.0/signers", { key, json: NEW });
    const changed = await api("PATCH", path, { key, json: { provenance: "sign" } });
    expect(changed.body.delivery).toMatchObject({ provenance: "sign", refine: true });
    expect((await api("PATCH", path, { key, json: { refine: false } })).body.delivery.provenance).toBe("sign");
    expect((await api("PATCH", path, { key, json: { provenance: "on" } })).status).toBe(422);
  });

  it("is what addresses and presets do not say, for finals alone", async () => {
    originOf(async (path, request) => file((path === "a.jpg" ? plain : SIGNED).slice().buffer)(path, request));
    const presets = { bare: { output: { format: "jpeg", provenance: "drop" } } };
    const world = await deliveryWorld({ provenance: "sign", presets });
    await api("POST", "/1.0/signers", { key: world.key, json: NEW });
    expect(await signedBy((await world.getSigned("format=jpeg")).bytes)).toBeUndefined();
    await world.runFinals();
    const views = async (options: string, name?: string) => {
      await forgetEdges(world.delivery.id);
      const { bytes, headers } = await world.getSigned(options, name);
      return [headers.get("x-service-rendition"), await signedBy(bytes)];
    };
    const signed = await views("format=jpeg");
    expect(signed).toEqual(["final", { ...OURS, manifests: 1 }]);
    // Every view has the same file: it was signed once.
    expect(await views("format=jpeg")).toEqual(signed);
    expect((await world.stored()).length).toBe(1);
    await world.getSigned("preset=bare", "b.jpg");
    await world.runFinals();
    expect(await views("preset=bare", "b.jpg")).toEqual(["final", undefined]);
  });

  it("is drop where that is said, whatever originals have", async () => {
    originOf(file(SIGNED.slice().buffer));
    const world = await deliveryWorld({ provenance: "drop", refine: false });
    await api("POST", "/1.0/signers", { key: world.key, json: NEW });
    const { bytes } = await world.getSigned("format=jpeg");
    expect(await signedBy(bytes)).toBeUndefined();
    expect(new TextDecoder("latin1").decode(bytes)).not.toContain("DigitalSourceType");
  });
});

describe("trust", () => {
  it("is the operator's, and decides who is trusted", async () => {
    expect((await upload({})).body.input.provenance.state).toBe("valid");
    expect((await api("PUT", "/1.0/signers/trust", { key, json: { anchors: AUTHORITY } })).status).toBe(401);
    const put = await api("PUT", "/1.0/signers/trust", { headers: ADMIN, json: { anchors: AUTHORITY } });
    expect(put.body).toMatchObject({ count: 1 });
    expect((await api("GET", "/1.0/signers/trust", { headers: ADMIN })).body.anchors).toBe(AUTHORITY);
    expect((await upload({})).body.input.provenance).toMatchObject({ state: "trusted", failures: [] });
    const refused = await api("PUT", "/1.0/signers/trust", { headers: ADMIN, json: { anchors: "somebody" } });
    expect({ status: refused.status, message: refused.body.message }).toEqual({
      status: 422,
      message: "anchors must be certificates in PEM",
    });
    await putTrust(env.BUCKET, "");
    expect((await upload({})).body.input.provenance.state).toBe("valid");
  });
});
