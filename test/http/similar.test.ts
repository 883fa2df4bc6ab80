/** Pictures of an account that look alike, by way of HTTP. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { pipeline } from "../../src/pipeline/edges.ts";
import pairFile from "../fixtures/faces/pair.jpg";
import parrotsFile from "../fixtures/faces/parrots.jpg";
import { openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";

const service = apiOf(pipeline);

let key = "";
beforeEach(async () => {
  ({ key } = await openAccount());
});

async function upload(file: ArrayBuffer, name: string, data: object, bindings = {}) {
  const body = new FormData();
  body.set("file", new File([file], name));
  body.set("data", JSON.stringify(data));
  return service("POST", "/1.0/upload", { key, body, env: bindings });
}

const similar = async (query: string) => (await api("GET", `/1.0/similar?${query}`, { key })).body;
const SMALL = { resize: { width: 300 }, optimize: { quality: 60 } };

describe("pictures that look alike", () => {
  it("are found by the hash that an answer told, however they were saved", async () => {
    const { body } = await upload(parrotsFile, "parrots.jpg", { analyze: ["phash"] });
    const small = await upload(parrotsFile, "small.jpg", { ...SMALL, analyze: ["phash"] });
    await upload(pairFile, "pair.jpg", { ...SMALL, analyze: ["phash", "color"] });
    const found = await similar(`phash=${body.analysis.phash}`);
    expect(found.complete).toBe(true);
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
    expect(found.similar.toSorted(byName)).toMatchObject([
      { id: body.id, name: "parrots.jpg", distance: 0, phash: body.analysis.phash },
      { id: small.body.id, name: "small.jpg", phash: small.body.analysis.phash },
    ]);
    const few = await similar(`phash=${body.analysis.phash}&limit=1`);
    expect([few.similar, few.complete]).toEqual([found.similar.slice(0, 1), false]);
  });

  it("are those whose hash was asked for alone, also among the results of a set", async () => {
    const { body } = await upload(parrotsFile, "parrots.jpg", {
      outputs: { thumb: { ...SMALL, analyze: ["phash"] }, web: { resize: { width: 400 } } },
    });
    await upload(parrotsFile, "silent.jpg", SMALL);
    const found = await similar(`phash=${body.outputs.thumb.analysis.phash}`);
    expect(found.similar.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      [body.id, "parrots.jpg"],
    ]);
  });

  it("are no reason to fail where they cannot be remembered", async () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const DB = new Proxy(env.DB, {
      get: (db, name) => {
        const member: unknown = Reflect.get(db, name);
        if (name === "batch") return () => Promise.reject(new Error("down"));
        return typeof member === "function" ? member.bind(db) : member;
      },
    });
    const { status, body } = await upload(parrotsFile, "parrots.jpg", { ...SMALL, analyze: ["phash"] }, { DB });
    expect(status).toBe(200);
    expect(lines.mock.calls.flat().join()).toContain("looks not kept");
    expect((await similar(`phash=${body.analysis.phash}`)).similar).toEqual([]);
  });
});

it.each([
  ["", "phash is required"],
  ["phash=12", "phash must be 16 hexadecimal digits in lower case, as analysis.phash is"],
  ["phash=1234567890ABCDEF", "phash must be 16 hexadecimal digits in lower case, as analysis.phash is"],
  ["phash=1234567890abcdef&distance=12", "distance must be an integer between 0 and 11"],
  ["phash=1234567890abcdef&limit=101", "limit must be an integer between 1 and 100"],
  ["phash=1234567890abcdef&url=x", "url is not a known parameter"],
])("refuses ?%s", async (query, message) => {
  expect(await api("GET", `/1.0/similar?${query}`, { key })).toMatchObject({ status: 422, body: { message } });
});
