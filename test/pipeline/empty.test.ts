/**
 * A result of no bytes, which nothing should ever make: it is our failure, nothing is stored, and it costs no credit.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { render } from "../../src/image/render/render.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { process } from "../../src/pipeline/process.ts";
import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import png from "../fixtures/png/rgb-8.png";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";

const api = apiOf(pipeline);

/** A service whose results have no bytes. */
const apiWithoutBytes = apiOf({
  ...pipeline,
  process: (job, ports) =>
    process(job, ports, (source, order, made) =>
      render(source, order, (entry, { output, analysis }) =>
        made(entry, { output: { ...output, file: SharedBytes.of(new Uint8Array()) }, analysis }),
      ),
    ),
});

beforeEach(() => forgetKeys());
afterEach(() => vi.restoreAllMocks());

function upload(key: string, send = api) {
  const body = new FormData();
  body.set("file", new File([png], "a.png"));
  return send("POST", "/1.0/upload", { key, body });
}

const storedKeys = async () => (await env.BUCKET.list()).objects.map(({ key }) => key);
const usedBy = async (key: string) => (await api("GET", "/1.0/account", { key })).body.credits.used;

it("is answered with 500 and logged with its id, stores nothing and costs no credit", async () => {
  const { key } = await openAccount(10);
  const before = await storedKeys();
  const logged = vi.spyOn(console, "error");
  const { status, body } = await upload(key, apiWithoutBytes);
  expect({ status, message: body.message }).toEqual({ status: 500, message: "Internal error" });
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  expect(lines).toEqual([expect.objectContaining({ id: body.id, status: 500 })]);
  expect(JSON.stringify(lines)).toContain("The result has no bytes");
  expect(await storedKeys()).toEqual(before);
  expect(await usedBy(key)).toBe(0);
  expect((await upload(key)).status).toBe(200);
  expect(await usedBy(key)).toBe(1);
});

it("is no success where storage has kept less than all of it, and what it kept is gone", async () => {
  const { key } = await openAccount(10);
  const before = await storedKeys();
  const put = env.BUCKET.put.bind(env.BUCKET);
  const cut = (name: string, bytes: unknown) => put(name, (bytes as Uint8Array).subarray(1));
  vi.spyOn(env.BUCKET, "put").mockImplementationOnce(cut as typeof env.BUCKET.put);
  expect((await upload(key)).status).toBe(500);
  expect(await storedKeys()).toEqual(before);
  expect(await usedBy(key)).toBe(0);
});
