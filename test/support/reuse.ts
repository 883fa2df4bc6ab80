/** An account whose requests with `reuse` are sent to a pipeline that counts its work. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { isSet } from "../../src/contract/request.ts";
import { onlyOf } from "../../src/pipeline/answer.ts";
import { type Pipeline, pipeline } from "../../src/pipeline/edges.ts";
import type { Job, Ports, Result, StoredResult } from "../../src/pipeline/job.ts";
import { keepTemporarily } from "../../src/storage/volatile.ts";
import { openAccount } from "./accounts.ts";
import { apiOf, type Call } from "./api.ts";
import { shortPipeline } from "./pipeline.ts";

export const TTL_SECONDS = 3_600;
export const url = "https://images.test/a.png";

/** Of the account that `begin` opened last, and the work that was done since. */
export let key = "";
export let meter: ReturnType<typeof env.METER.getByName>;
export let jobs: object[] = [];

/** Opens a new account with 50 credits. */
export async function begin(): Promise<void> {
  const opened = await openAccount(50);
  ({ key } = opened);
  meter = env.METER.getByName(`account:${opened.account.id}`);
  jobs = [];
}

/** Keeps results in the real storage, and notes what it does. */
export const counting: Pipeline = {
  ...shortPipeline,
  portsOf: (bindings, settings, baseUrl, database) => ({
    ...shortPipeline.portsOf(bindings, settings, baseUrl, database),
    readOriginal: pipeline.portsOf(bindings, settings, baseUrl, database).readOriginal,
    keepTemporarily: (encoded) =>
      keepTemporarily(env.BUCKET, { baseUrl, ttlSeconds: TTL_SECONDS }, encoded, Date.now()),
  }),
  process: async (job, ports) => {
    jobs.push(job.processing);
    return isSet(job.processing) ? setOf(job, ports) : shortPipeline.process(job, ports);
  },
};
export const call = apiOf(counting);

/** Every result of a set in an object of its own. */
export async function setOf(job: Job, ports: Ports): Promise<Result> {
  const { outputs: named = { "9.png": {} }, srcset, ...processing } = job.processing;
  const alone = { ...ports, keepTemporarily: async () => ({ url: "" }) };
  const result = await shortPipeline.process({ ...job, processing }, alone);
  const { output, encoded } = onlyOf(result);
  const outputs: StoredResult[] = [];
  for (const name of Object.keys(named)) {
    if (encoded) outputs.push({ name, output: { ...output, ...(await ports.keepTemporarily(encoded)) } });
  }
  return { input: result.input, outputs, ...(srcset && { html: "<picture>" }) };
}

export function upload(
  data: object = {},
  {
    name = "a.png",
    bytes = "picture",
    by = call,
    ...more
  }: Call & { name?: string; bytes?: string; by?: typeof call } = {},
) {
  const body = new FormData();
  body.set("file", new File([bytes], name));
  body.set("data", JSON.stringify({ reuse: true, ...data }));
  return by("POST", "/1.0/upload", { key, body, ...more });
}
export const fetchImage = (data: object = {}, more: Call = {}) =>
  call("POST", "/1.0/fetch", { key, json: { url, reuse: true, ...data }, ...more });
export const used = async () => (await call("GET", "/1.0/account", { key })).body.credits.used as number;
export const results = () =>
  runInDurableObject(meter, (_, { storage }) => {
    const [table] = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'results'");
    return table ? storage.sql.exec("SELECT * FROM results").toArray() : [];
  });

/** The real meters, but for some methods; what they are asked is noted. */
export function meters(others: Record<string, () => unknown> = {}) {
  const asked: string[] = [];
  const methodsOf = (stub: Record<string, (...values: unknown[]) => unknown>) =>
    ["take", "settle", "release", "recall"].map((name) => {
      const method = (...values: unknown[]) => {
        asked.push(name);
        return others[name] ? others[name]() : stub[name]?.(...values);
      };
      return [name, method] as const;
    });
  const getByName = (name: string) => Object.fromEntries(methodsOf(env.METER.getByName(name) as never));
  return { METER: { getByName }, asked };
}
