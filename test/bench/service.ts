/** Requests per second and latency of the running service, over loopback, clients on the same machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { median } from "./harness.ts";
import { ramp } from "./ramp.ts";

const CONNECTIONS = 8;
const ROUNDS = 5;
const ROUND_MS = 2_000;

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export async function main(): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const service = await startLocal({
    host: "127.0.0.1",
    port: 0,
    state,
    variables: { RATE_LIMIT: "1000000000" },
    quiet: true,
  });
  try {
    const calls = [account(), upload()];
    const rounds = new Map(calls.map((call) => [call.name, { rates: [] as number[], latencies: [] as number[] }]));
    for (const call of calls) await once(service.url, call);
    for (let round = 0; round < ROUNDS; round++) {
      for (const call of calls) {
        const latencies = await hammer(service.url, call);
        rounds.get(call.name)?.rates.push((latencies.length / ROUND_MS) * 1000);
        rounds.get(call.name)?.latencies.push(...latencies);
      }
    }
    console.log(`${CONNECTIONS} connections, ${ROUNDS} interleaved rounds of ${ROUND_MS / 1000} s`);
    for (const [name, { rates, latencies }] of rounds) {
      const sorted = latencies.toSorted((a, b) => a - b);
      const late = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
      console.log(
        `${name.padEnd(34)} ${median(rates).toFixed(0).padStart(6)} requests/s   median ${median(latencies).toFixed(1)} ms   99 % ${late.toFixed(1)} ms`,
      );
    }
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** Milliseconds of every call that the connections make in one round. */
async function hammer(base: URL, call: Call): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const latencies: number[] = [];
  const end = performance.now() + ROUND_MS;
  const connection = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await once(base, call, agent);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
  return latencies;
}

/** @throws Error with the answer when it is no success: a fast failure is no measurement */
async function once(base: URL, { method, path, headers, body, name }: Call, agent?: Agent): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(new URL(path, base).href, { method, headers, ...(agent && { agent }) }, resolve);
  outgoing.on("error", reject);
  outgoing.end(body);
  const answer = await promise;
  const said = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${name} gave ${answer.statusCode}: ${said.slice(0, 200)}`);
}

const authorization = `Bearer ${DEMO_KEY}`;

function account(): Call {
  return { name: "GET /1.0/account", method: "GET", path: "/1.0/account", headers: { authorization } };
}

function upload(): Call {
  const boundary = "bench";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="ramp.png"\r\nContent-Type: image/png\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), ramp(64), Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    authorization,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(body.byteLength),
  };
  return { name: "POST /1.0/upload, 64 × 64 PNG", method: "POST", path: "/1.0/upload", headers, body };
}
