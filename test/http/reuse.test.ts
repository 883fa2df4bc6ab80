/** `reuse`: what an account had done before is not done again, and costs nothing. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { engineVersion } from "../../src/env.ts";
import { ApiError } from "../../src/errors.ts";
import { REUSE_MARGIN_MS, STORED_RESULT_KEPT_MS } from "../../src/limits/reuse.ts";
import { type Pipeline } from "../../src/pipeline/edges.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { brokenPipeline } from "../support/pipeline.ts";
import {
  TTL_SECONDS,
  key,
  meter,
  jobs,
  begin,
  counting,
  call,
  upload,
  used,
  results,
  meters,
} from "../support/reuse.ts";
import { receiver, untilStatus } from "../support/webhooks.ts";

beforeEach(begin);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("an upload with reuse", () => {
  it("gives the result of the same bytes and the same request, whatever their name and its order, at no cost", async () => {
    const first = await upload({ resize: { width: 5, height: 4 }, flip: { vertical: true } });
    expect(first.body.output).not.toHaveProperty("reused");
    const again = await upload({ flip: { vertical: true }, resize: { height: 4, width: 5 } }, { name: "b.png" });
    expect(again.body).toEqual({
      ...first.body,
      id: again.body.id,
      input: { ...first.body.input, name: "b.png" },
      output: { ...first.body.output, reused: true },
    });
    expect(again.body.id).not.toBe(first.body.id);
    expect(jobs).toHaveLength(1);
    expect(await used()).toBe(1);
    const { total } = (await call("GET", "/1.0/account/usage", { key })).body;
    expect(total).toMatchObject({ pictures: 1, credits: 1, errors: 0 });
  });

  it("is worked for with other bytes, another request, another account, and without the member", async () => {
    await upload();
    await upload({}, { bytes: "another" });
    await upload({ resize: { width: 5 } });
    await upload({}, { key: (await openAccount()).key });
    await upload({ reuse: false });
    await upload({}, { base: "https://other.test" });
    expect(jobs).toHaveLength(6);
    expect((await upload()).body.output.reused).toBe(true);
  });

  it("is worked for by another version of the service", async () => {
    expect(engineVersion(env)).not.toBe("");
    await upload();
    await upload({}, { env: { VERSION: { id: "next", tag: "", timestamp: "" } } });
    expect(jobs).toHaveLength(2);
  });

  it("is worked for with another Accept where that chooses the format, and not otherwise", async () => {
    const accept = (data: object, value: string) => upload(data, { headers: { accept: value } });
    await accept({ output: { format: "auto" } }, "image/webp");
    await accept({ output: { format: "auto" } }, "image/avif");
    expect(jobs).toHaveLength(2);
    await accept({}, "image/webp");
    await accept({}, "image/avif");
    expect(jobs).toHaveLength(3);
  });

  it("is worked for again when the result is gone, or has little time left", async () => {
    await upload();
    await env.BUCKET.delete((await env.BUCKET.list()).objects.map((object) => object.key));
    expect((await upload()).body.output).not.toHaveProperty("reused");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + TTL_SECONDS * 1000 - REUSE_MARGIN_MS - 60_000);
    expect((await upload()).body.output.reused).toBe(true);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await upload()).body.output).not.toHaveProperty("reused");
    expect(jobs).toHaveLength(3);
    expect(await results()).toHaveLength(1);
    vi.setSystemTime(Date.now() + TTL_SECONDS * 1000);
    await runDurableObjectAlarm(meter);
    expect(await results()).toEqual([]);
  });

  it("gives its bytes in binary mode", async () => {
    await upload();
    const { status, bytes, body } = await upload({ response: { mode: "binary" } });
    expect([status, new TextDecoder().decode(bytes), body.output.reused]).toEqual([200, "picture", true]);
    expect(jobs).toHaveLength(1);
  });

  it("is given a stored result again only for the same object of the same store, for a day", async () => {
    const store = { provider: "aws", key: "k", secret: "s", bucket: "pictures", region: "eu-west-1", path: "a" };
    const connector = { name: "c", ...store };
    const made = await call("POST", "/1.0/connectors", { key, json: connector });
    const { id } = made.body.connector;
    for (const round of [1, 2]) {
      for (const data of [{ store }, { store: { ...store, path: "b" } }, { store: { id } }]) {
        expect((await upload(data)).body.output.reused).toBe(round === 1 ? undefined : true);
      }
    }
    expect((await upload({ store }, { name: "b.png" })).body.output.reused).toBeUndefined();
    await call("PATCH", `/1.0/connectors/${id}`, { key, json: { bucket: "others" } });
    expect((await upload({ store: { id } })).body.output.reused).toBeUndefined();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + STORED_RESULT_KEPT_MS);
    expect((await upload({ store })).body.output.reused).toBeUndefined();
  });

  it("does not remember what failed, and is worked for where the meter does not recall", async () => {
    const body = new FormData();
    body.set("file", new File(["picture"], "a.png"));
    body.set("data", '{"reuse": true}');
    await apiOf(brokenPipeline(new Error("ours")))("POST", "/1.0/upload", { key, body });
    expect(await results()).toEqual([]);
    await upload();
    const { METER } = meters({ recall: () => Promise.reject(new Error("overloaded")) });
    expect((await upload({}, { env: { METER } })).body.output).not.toHaveProperty("reused");
  });

  it("asks the meter once more with the member, and not without", async () => {
    const { METER, asked } = meters();
    await upload({ reuse: false }, { env: { METER } });
    expect(asked.splice(0)).toEqual(["take", "settle"]);
    await upload({}, { env: { METER } });
    expect(asked.splice(0)).toEqual(["take", "recall", "settle"]);
    await upload({}, { env: { METER } });
    expect(asked).toEqual(["take", "recall", "release"]);
  });

  it("with a webhook is notified of the earlier result, and its credit given back", async () => {
    const target = receiver();
    await upload();
    const { body } = await upload({ webhook: { url: target.url } });
    await untilStatus(body.id, "delivered");
    const [notification] = await target.received(1);
    expect(JSON.parse(notification?.body ?? "").output.reused).toBe(true);
    expect(jobs).toHaveLength(1);
    await vi.waitFor(async () => expect(await used()).toBe(1));
  });

  it("waits for an equal one that is being worked on, and costs nothing", async () => {
    const { by, begun, go } = slowly();
    const first = upload({}, { by });
    await begun;
    const second = upload({}, { by, name: "b.png" });
    const other = upload({ resize: { width: 5 } }, { by });
    go();
    expect((await first).body.output).not.toHaveProperty("reused");
    expect((await second).body).toMatchObject({ input: { name: "b.png" }, output: { reused: true } });
    expect((await other).body.output).not.toHaveProperty("reused");
    expect([jobs.length, await used()]).toEqual([2, 2]);
  });

  it("does the work itself where the one that it waits for fails", async () => {
    const { by, begun, go } = slowly(new ApiError(422, "The image is damaged"));
    const first = upload({}, { by });
    await begun;
    const second = upload();
    go();
    expect((await first).status).toBe(422);
    expect((await second).body.output).not.toHaveProperty("reused");
    expect([jobs.length, await used()]).toEqual([2, 1]);
  });

  it("is remembered by a job with a webhook", async () => {
    const { body } = await upload({ webhook: { url: receiver().url } });
    await untilStatus(body.id, "delivered");
    await vi.waitFor(async () => expect(await results()).toHaveLength(1));
    expect((await upload()).body.output.reused).toBe(true);
  });
});

/** Calls whose first piece of work waits to be let go, and then fails if so told. */
function slowly(error?: Error) {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const process: Pipeline["process"] = async (job, ports) => {
    const made = await counting.process(job, ports);
    if (jobs.length > 1) return made;
    begun.resolve();
    await gate.promise;
    if (error) throw error;
    return made;
  };
  return { by: apiOf({ ...counting, process }), begun: begun.promise, go: gate.resolve };
}

describe("several results with reuse", () => {
  it.each([{ outputs: { a: {}, b: { resize: { width: 5 } } } }, { srcset: { widths: [9], formats: ["png"] } }])(
    "are given again as a whole while all of them are there, at no cost: %j",
    async (data) => {
      const first = await upload(data);
      const again = await upload(data, { name: "b.png" });
      const cost = Object.keys(first.body.outputs).length;
      const outputs = Object.entries<object>(first.body.outputs).map(([name, one]) => [name, { ...one, reused: true }]);
      expect(again.body).toEqual({
        ...first.body,
        id: again.body.id,
        input: { ...first.body.input, name: "b.png" },
        outputs: Object.fromEntries(outputs),
      });
      expect([jobs.length, await used()]).toEqual([1, cost]);
      const { total } = (await call("GET", "/1.0/account/usage", { key })).body;
      expect(total).toMatchObject({ pictures: 1, credits: cost });
      const [, uuid = ""] =
        /temp\/([^/]+)/.exec(Object.values<{ url: string }>(first.body.outputs).at(-1)?.url ?? "") ?? [];
      const keys = (await env.BUCKET.list()).objects.map((object) => object.key);
      await env.BUCKET.delete(keys.filter((name) => name.includes(uuid)));
      expect(Object.values<object>((await upload(data)).body.outputs)[0]).not.toHaveProperty("reused");
      await vi.waitFor(async () => expect([jobs.length, await used()]).toEqual([2, 2 * cost]));
    },
  );

  it("give back the credits that were reserved for them", async () => {
    const { key: poor } = await openAccount(4);
    const data = { outputs: { a: {}, b: {} } };
    for (let round = 0; round < 4; round++) expect((await upload(data, { key: poor })).status).toBe(200);
    expect((await upload({ outputs: { c: {}, d: {} } }, { key: poor })).status).toBe(200);
  });

  it("come to a webhook as they were, and the credits come back", async () => {
    const data = { outputs: { a: {}, b: {} } };
    await upload(data);
    const target = receiver();
    const { body } = await upload({ ...data, webhook: { url: target.url } });
    await untilStatus(body.id, "delivered");
    const [notification] = await target.received(1);
    expect(JSON.parse(notification?.body ?? "").outputs.b.reused).toBe(true);
    await vi.waitFor(async () => expect(await used()).toBe(2));
  });
});
