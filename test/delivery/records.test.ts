/** Deliveries as their owners make, change, sign and purge them. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { carryOutPurge } from "../../src/delivery/purge.ts";
import { originalPrefix } from "../../src/delivery/results.ts";
import { MAX_DELIVERIES } from "../../src/limits/delivery.ts";
import { openAccount } from "../support/accounts.ts";
import { api, BASE, needsInside } from "../support/api.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";

const WEB = { kind: "web", prefix: "https://www.example.com/uploads/" };
const path = (id: string, more = "") => `/1.0/deliveries/${id}${more}`;

async function made(key: string, more: object = {}) {
  const { status, body } = await api("POST", "/1.0/deliveries", { key, json: { sources: [WEB], ...more } });
  expect([status, body.message]).toEqual([201, undefined]);
  return body as { delivery: { id: string }; signing: { key: string; salt: string } };
}

/** Presets that are each as they may be, and more than all may be together. */
const REGION = { x: 0.123456789, y: 0.123456789, width: 0.123456789, height: 0.123456789 };
const LONG = Object.fromEntries(
  Array.from({ length: 50 }, (_, at) => [`p${at}`, { redact: { regions: Array(20).fill(REGION) } }]),
);

describe("a delivery", () => {
  it("is made with what was not said filled in, and with a pair of its own", async () => {
    const { key } = await openAccount();
    const { delivery, signing } = await made(key);
    expect(delivery).toMatchObject({ name: "", sources: [WEB], presets: {}, unsigned: false, refine: true });
    expect(delivery).toMatchObject({ ttl: 2_592_000, url: `${BASE}/i/${delivery.id}` });
    expect(delivery.id).toMatch(/^dl_[A-Za-z0-9]{16}$/);
    expect(signing.key).not.toBe(signing.salt);
  });

  it("is listed, shown, changed where the change says so, and deleted", async () => {
    const { key } = await openAccount();
    const preset = { small: { stylize: { pixelate: { value: 4 } }, resize: { width: 100 } } };
    const { delivery } = await made(key, { name: "a", presets: preset });
    const other = await made(key);
    const list = await api("GET", "/1.0/deliveries", { key });
    expect(new Set(list.body.deliveries.map(({ id }: { id: string }) => id))).toEqual(
      new Set([delivery.id, other.delivery.id]),
    );
    const changed = await api("PATCH", path(delivery.id), { key, json: { ttl: 60, unsigned: { widths: [10] } } });
    const wanted = { ...delivery, ttl: 60, unsigned: { widths: [10] } };
    expect(changed.body.delivery).toEqual(wanted);
    expect((await api("GET", path(delivery.id), { key })).body.delivery).toEqual(wanted);
    // Aliases are replaced by the names they stand for.
    expect(changed.body.delivery.presets.small).toEqual({
      filter: { pixellate: { value: 4 } },
      resize: { width: 100 },
    });
    expect((await api("DELETE", path(delivery.id), { key })).body.id).toBe(delivery.id);
    for (const method of ["GET", "DELETE"]) expect((await api(method, path(delivery.id), { key })).status).toBe(404);
  });

  it("belongs to its account alone", async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    const { delivery } = await made(owner.key);
    const { key } = other;
    const calls = [
      api("GET", path(delivery.id), { key }),
      api("PATCH", path(delivery.id), { key, json: { ttl: 60 } }),
      api("DELETE", path(delivery.id), { key }),
      api("GET", path(delivery.id, "/signing"), { key }),
      api("POST", path(delivery.id, "/signing"), { key }),
      api("POST", path(delivery.id, "/purge"), { key, json: {} }),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 404));
    expect((await api("GET", "/1.0/deliveries", { key })).body.deliveries).toEqual([]);
    expect((await api("GET", path(delivery.id), { key: owner.key })).body.delivery.ttl).toBe(2_592_000);
  });

  it("is one of a bounded number", async () => {
    needsInside();
    const { key, account } = await openAccount();
    await made(key);
    const rows = Array.from({ length: MAX_DELIVERIES - 1 }, (_, index) =>
      env.DB.prepare(
        `INSERT INTO deliveries (id, account_id, name, sources, presets, unsigned, refine, ttl, created_at, updated_at)
         VALUES (?, ?, '', '[]', '{}', 'false', 1, 60, '', '')`,
      ).bind(`dl_${account.id}${index}`, account.id),
    );
    await env.DB.batch(rows);
    const { status, body } = await api("POST", "/1.0/deliveries", { key, json: { sources: [WEB] } });
    expect([status, body.message]).toEqual([422, `An account has at most ${MAX_DELIVERIES} deliveries`]);
  });

  it.each([
    [{}, "sources is required"],
    [{ sources: [] }, "sources must be a list of 1 to 16 sources"],
    [{ sources: Array.from({ length: 17 }, () => WEB) }, "sources must be a list of 1 to 16 sources"],
    [{ sources: [{ kind: "ftp" }] }, "sources.0.kind must be one of web, store, bucket"],
    [{ sources: [{ kind: "web", prefix: "ftp://x.test/" }] }, "sources.0.prefix must be a valid http or https URL"],
    [{ sources: [{ kind: "web", prefix: "https://a:b@x.test/" }] }, "sources.0.prefix must have neither a user"],
    [{ sources: [{ kind: "web", prefix: "https://x.test/?a" }] }, "sources.0.prefix must have neither a user"],
    [{ sources: [{ kind: "store", name: "http", connector: "abcdefghij" }] }, "sources.0.name must be a name of"],
    [{ sources: [{ kind: "store", name: "s", connector: "abcdefghij" }] }, "sources.0.connector must be the id of"],
    [{ sources: [{ kind: "bucket", name: "b", path: "a/../b" }] }, "sources.0.path must be a folder"],
    [{ sources: [{ kind: "bucket", name: "b" }] }, "sources.0.kind must be web or store"],
    [{ sources: [WEB], presets: { "a b": {} } }, "a member of presets must be named by"],
    [
      { sources: [WEB], presets: [{ resize: { width: 9 } }] },
      "presets must be an object of names and what they stand for",
    ],
    [{ sources: [WEB], presets: [] }, "presets must be an object of names and what they stand for"],
    [
      JSON.parse('{"sources":[{"kind":"web","prefix":"https://a.test/"}],"presets":{"constructor":{"store":{}}}}'),
      "presets must not have a member named constructor, prototype, __proto__",
    ],
    [{ sources: [WEB], presets: { a: { resize: {} } } }, "presets.a.resize needs width or height"],
    [{ sources: [WEB], presets: { a: [{ resize: { width: 9 } }] } }, "presets.a must be an object"],
    [{ sources: [WEB], presets: LONG }, "presets must have at most 32768 characters together, as JSON"],
    [{ sources: [WEB], presets: { a: { store: {} } } }, "presets.a.store is not a known parameter"],
    [{ sources: [WEB], unsigned: true }, "unsigned must be false, or an object"],
    [{ sources: [WEB], unsigned: { widths: [0] } }, "unsigned.widths.0 must be an integer between 1 and 16384"],
    [{ sources: [WEB], unsigned: { formats: ["jpq"] } }, "unsigned.formats.0 must be one of avif, jxl, webp, jpeg"],
    [{ sources: [WEB], unsigned: { sizes: [1] } }, "unsigned.sizes is not a known parameter"],
    [{ sources: [WEB], unsigned: { query: [""] } }, "unsigned.query.0 must be a name of 1 to 64 characters"],
    [{ sources: [WEB], unsigned: { finals_per_hour: -1 } }, "unsigned.finals_per_hour must be an integer between 0"],
    [{ sources: [WEB], ttl: 59 }, "ttl must be an integer between 60 and 31536000"],
    [{ sources: [WEB], is_open: 1 }, "is_open is not a known parameter"],
  ])("is refused where it breaks a rule: %j", async (json, message) => {
    const { key } = await openAccount();
    const { status, body } = await api("POST", "/1.0/deliveries", { key, json });
    expect([status, body.message.slice(0, message.length)]).toEqual([422, message]);
  });

  it("reads stores through a saved connector", async () => {
    const { key } = await openAccount();
    const connector = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1", bucket: "pictures" };
    const { id } = (await api("POST", "/1.0/connectors", { key, json: connector })).body.connector;
    const sources = [{ kind: "store", name: "shop", connector: id, path: "originals/" }];
    expect((await made(key, { sources })).delivery).toMatchObject({ sources });
  });
});

describe("what addresses are signed with", () => {
  it("is sealed in the database, and shown to its owner", async () => {
    const { key } = await openAccount();
    const { delivery, signing } = await made(key);
    expect((await api("GET", path(delivery.id, "/signing"), { key })).body.signing).toEqual(signing);
    needsInside();
    const row = await env.DB.prepare("SELECT * FROM deliveries WHERE id = ?").bind(delivery.id).first();
    expect(JSON.stringify(row)).not.toContain(signing.key);
  });

  it("is followed by a new pair, and stays valid for 24 hours", async () => {
    const { key } = await openAccount();
    const { delivery, signing } = await made(key);
    const first = await api("POST", path(delivery.id, "/signing"), { key });
    expect(first.body.signing).not.toEqual(signing);
    expect(first.body.previous).toMatchObject(signing);
    const left = Date.parse(first.body.previous.valid_until) - Date.now();
    expect(Math.round(left / 3_600_000)).toBe(24);
    const second = await api("POST", path(delivery.id, "/signing"), { key });
    expect(second.body.previous).toMatchObject(first.body.signing);
    needsInside();
    await env.DB.prepare("UPDATE deliveries SET previous_until = 1 WHERE id = ?").bind(delivery.id).run();
    const shown = await api("GET", path(delivery.id, "/signing"), { key });
    expect(shown.body).toEqual({ success: true, code: 200, signing: second.body.signing });
  });
});

describe("a purge", () => {
  const put = async (id: string, source: string) => {
    needsInside();
    const name = `${await originalPrefix(id, source)}result`;
    await env.BUCKET.put(name, "bytes");
    return async () => (await env.BUCKET.head(name)) !== null;
  };

  it("forgets one original, in any spelling of it", async () => {
    const { key } = await openAccount();
    for (const source of ["https%3A%2F%2Fwww.example.com%2Fuploads%2Fa.jpg", "b/../a.jpg", "/a.jpg"]) {
      const { delivery } = await made(key);
      const isThere = await put(delivery.id, "https://www.example.com/uploads/a.jpg");
      const isOtherThere = await put(delivery.id, "https://www.example.com/uploads/b.jpg");
      const { status } = await api("POST", path(delivery.id, "/purge"), { key, json: { source } });
      expect([status, await isThere(), await isOtherThere()]).toEqual([202, false, true]);
    }
  });

  it("forgets everything without a source, and nothing of other deliveries", async () => {
    const { key } = await openAccount();
    const [{ delivery }, other] = [await made(key), await made(key)];
    const isThere = await put(delivery.id, "https://www.example.com/uploads/a.jpg");
    const isOtherThere = await put(other.delivery.id, "https://www.example.com/uploads/a.jpg");
    await new Promise((passed) => setTimeout(passed, 5));
    expect((await api("POST", path(delivery.id, "/purge"), { key, json: {} })).status).toBe(202);
    await carryOutPurge(env, delivery.id);
    expect([await isThere(), await isOtherThere()]).toEqual([false, true]);
  });

  it("refuses what is no source of the delivery", async () => {
    const { key } = await openAccount();
    const { delivery } = await made(key);
    const json = { source: "https://elsewhere.test/a.jpg" };
    const { status, body } = await api("POST", path(delivery.id, "/purge"), { key, json });
    expect([status, body.message]).toEqual([422, "source must be one of the delivery's sources"]);
  });
});
