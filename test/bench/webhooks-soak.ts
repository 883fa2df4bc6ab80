/**
 * Webhook jobs through the running service at full speed, against a receiver on this machine that fails one attempt in
 * five. Says whether any job was lost or delivered twice, and how long accepting and delivering took. `JOBS` and
 * `PARALLEL` in the environment change how many there are, and how many at a time.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { ramp } from "./ramp.ts";

const JOBS = Number(process.env["JOBS"] ?? 2_000);
const PARALLEL = Number(process.env["PARALLEL"] ?? 16);
const FAILURES = 0.2;
const RETRY_SECONDS = "1,1,2,4";
const ATTEMPTS = 5;

interface Job {
  readonly acceptedMs: number;
  readonly answeredAt: number;
}

interface Record_ {
  readonly id: string;
  readonly status: string;
  readonly code: number;
  readonly created_at: string;
  readonly attempts: readonly { readonly at: string; readonly code: number }[];
}

/** Attempts as the receiver saw them: 0 is a connection it cut. */
const seen = new Map<string, { at: number; code: number }[]>();

function receive(request: IncomingMessage, response: ServerResponse): void {
  const id = String(request.headers["webhook-id"]);
  const code = Math.random() < FAILURES ? ([500, 404, 302, 0][Math.floor(Math.random() * 4)] ?? 500) : 200;
  request.resume().on("end", () => {
    seen.set(id, [...(seen.get(id) ?? []), { at: Date.now(), code }]);
    if (code === 0) response.destroy();
    else response.writeHead(code, { location: "/" }).end();
  });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN);
}

function times(values: readonly number[]): string {
  return `p50 ${percentile(values, 0.5)} ms, p95 ${percentile(values, 0.95)} ms, max ${percentile(values, 1)} ms`;
}

async function accept(base: URL, image: Buffer, webhook: string): Promise<[string, Job]> {
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(image)]), "photo.png");
  body.set("data", JSON.stringify({ webhook: { url: webhook } }));
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const startedAt = Date.now();
  const answer = await fetch(new URL("/1.0/upload", base), { method: "POST", headers, body });
  const { id } = (await answer.json()) as { id: string };
  if (answer.status !== 202) throw new Error(`A job was answered with ${answer.status}`);
  return [id, { acceptedMs: Date.now() - startedAt, answeredAt: Date.now() }];
}

async function records(base: URL): Promise<Record_[]> {
  const all: Record_[] = [];
  for (let offset = 0; ; offset += 100) {
    const headers = { authorization: `Bearer ${DEMO_KEY}` };
    const answer = await fetch(new URL(`/1.0/webhooks?limit=100&offset=${offset}`, base), { headers });
    const { webhooks } = (await answer.json()) as { webhooks: Record_[] };
    all.push(...webhooks);
    if (webhooks.length < 100) return all;
  }
}

/** Delivered, or failed after the last attempt of the schedule. */
function isFinished(record: Record_): boolean {
  return record.status === "delivered" || (record.status === "failed" && record.attempts.length === ATTEMPTS);
}

async function untilFinished(base: URL): Promise<Record_[]> {
  for (;;) {
    const all = await records(base);
    if (all.every(isFinished)) return all;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** The answers that came through; a cut connection is 0 on both sides, and may be cut before the receiver notices. */
function answers(attempts: readonly { readonly code: number }[] = []): string {
  return attempts.flatMap(({ code }) => (code === 0 ? [] : [code])).join();
}

/** What the record says differs from what the receiver saw. */
function contradicts(record: Record_): boolean {
  return answers(record.attempts) !== answers(seen.get(record.id));
}

/** A record and what the receiver saw of it. */
function comparison(record: Record_): string {
  return JSON.stringify({ record: record.attempts, receiver: seen.get(record.id) });
}

function tell(jobs: ReadonlyMap<string, Job>, all: readonly Record_[], seconds: number): void {
  const known = new Map(all.map((record) => [record.id, record]));
  const lost = [...jobs.keys()].filter((id) => !known.has(id) || !seen.has(id));
  const doubled = [...seen.values()].filter((attempts) => attempts.filter(({ code }) => code === 200).length > 1);
  const first = all.map(
    (record) => (seen.get(record.id)?.[0]?.at ?? Number.NaN) - (jobs.get(record.id)?.answeredAt ?? Number.NaN),
  );
  const attempts = [...seen.values()].flat();
  const late = all.flatMap(({ attempts: made }) =>
    made
      .slice(1)
      .map(
        (attempt, index) =>
          Date.parse(attempt.at) - Date.parse(made[index]?.at ?? "") - Number(RETRY_SECONDS.split(",")[index]) * 1_000,
      ),
  );
  console.log(`${jobs.size} jobs, ${PARALLEL} at a time, accepted in ${seconds.toFixed(1)} s`);
  console.log(`accept latency: ${times([...jobs.values()].map(({ acceptedMs }) => acceptedMs))}`);
  console.log(`202 to first attempt: ${times(first)}`);
  console.log(`retries after their time: ${times(late)}`);
  console.log(`${attempts.length} attempts, ${attempts.filter(({ code }) => code !== 200).length} of them refused`);
  console.log(
    `delivered ${all.filter(({ status }) => status === "delivered").length}, failed for good ${all.filter(({ status }) => status === "failed").length}`,
  );
  console.log(
    `lost ${lost.length}, delivered twice ${doubled.length}, records that contradict the receiver ${all.filter(contradicts).length}`,
  );
  for (const record of all.filter(contradicts)) console.log(comparison(record));
}

export async function main(): Promise<void> {
  const receiver = createServer(receive);
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const state = await mkdtemp(join(tmpdir(), "darkroom-soak-"));
  const service = await startLocal({
    host: "127.0.0.1",
    port: 0,
    state,
    quiet: true,
    variables: {
      ALLOW_PRIVATE_ORIGINS: "true",
      WEBHOOK_RETRY_SECONDS: RETRY_SECONDS,
      VAULT_KEY: randomBytes(32).toString("base64"),
    },
  });
  const image = ramp(64);
  const jobs = new Map<string, Job>();
  const startedAt = Date.now();
  let left = JOBS;
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (left-- > 0) jobs.set(...(await accept(service.url, image, webhook)));
    }),
  );
  const seconds = (Date.now() - startedAt) / 1_000;
  tell(jobs, await untilFinished(service.url), seconds);
  await service.stop();
  receiver.close();
  await rm(state, { recursive: true, force: true });
}
