/** Callers that stand in each other's way, and what becomes of the others. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { DEMO_KEY } from "../../src/cli/local.ts";
import {
  animation,
  type Answered,
  drawing,
  noise,
  photo,
  type Place,
  send,
  sendSlowly,
  thumbnails,
} from "./crowd-load.ts";

const SECONDS = 10;

/** What each case is called, and what is said of it. */
export const CASES: Readonly<Record<string, (place: Place) => Promise<string>>> = {
  drawing: besideDrawing,
  animation: besideAnimation,
  uploads: manyUploads,
  dripping: besideDripping,
  usual: besideUsual,
  health: besideWork,
};

/** Seven senders of small files, beside one that draws an SVG of 96 × 72 every 0.3 s. */
async function besideDrawing(place: Place): Promise<string> {
  const files = await thumbnails();
  const end = performance.now() + SECONDS * 1_000;
  const answers: Answered[] = [];
  const sender = async (from: number) => {
    for (let round = from; performance.now() < end; round++) {
      const [name, file] = files[round % files.length] ?? ["", new Uint8Array(0)];
      answers.push(await send({ name, file, options: { resize: { width: 64 } } }, place));
    }
  };
  const drawer = async () => {
    const file = Buffer.from(drawing(96, 72));
    for (; performance.now() < end; await pause(300)) {
      answers.push(await send({ name: "a.svg", file, options: { output: { format: "png" } } }, place));
    }
  };
  await Promise.all([drawer(), ...Array.from({ length: 7 }, (_, index) => sender(index))]);
  return summary(answers);
}

/** Seven senders of small files, beside one that has a GIF of 40 frames made as `auto`. */
async function besideAnimation(place: Place): Promise<string> {
  const files = await thumbnails();
  let isOver = false;
  const answers: Answered[] = [];
  const sender = async (from: number) => {
    for (let round = from; !isOver; round++) {
      const [name, file] = files[round % files.length] ?? ["", new Uint8Array(0)];
      answers.push(await send({ name, file, options: { resize: { width: 64 } } }, place));
    }
  };
  const animated = { name: "a.gif", file: await animation(320, 240, 40), options: { output: { format: "auto" } } };
  const animating = send(animated, place).finally(() => (isOver = true));
  const [made] = await Promise.all([animating, ...Array.from({ length: 7 }, (_, index) => sender(index))]);
  const times = answers.map(({ ms }) => ms / 1_000).toSorted((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? Number.NaN).toFixed(2);
  return `${summary(answers)}; median ${at(0.5)} s, p95 ${at(0.95)} s; the animation took ${(made.ms / 1_000).toFixed(1)} s (${made.status})`;
}

/** Forty uploads of 4 MB at once, each at 1 MB/s. */
async function manyUploads(place: Place): Promise<string> {
  const file = await noise(4_000_000);
  return summary(await Promise.all(Array.from({ length: 40 }, () => sendSlowly(file, place, 1_000_000))));
}

/** Twenty uploads of one account, beside four fetches of another whose origin sends ten bytes a second. */
async function besideDripping(place: Place): Promise<string> {
  const origin = createServer((request, response) => {
    response.writeHead(200, { "content-type": "image/jpeg", "content-length": request.url?.slice(1) });
    response.write(Buffer.alloc(10));
    const timer = setInterval(() => response.write(Buffer.alloc(10)), 1_000);
    response.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((listening) => origin.listen(0, "127.0.0.1", listening));
  const { port } = origin.address() as AddressInfo;
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" };
  const drips = [4_194_304, 4_194_304, 33_554_432, 262_144].map((bytes) =>
    fetch(new URL("/1.0/fetch", place.base), {
      method: "POST",
      headers,
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/${bytes}` }),
      signal: leaving.signal,
    }).catch(() => undefined),
  );
  const small = await noise(110_000);
  const large = await noise(5_000_000);
  await pause(3_000);
  const { originals } = await held(place);
  const jobs = Array.from({ length: 20 }, (_, index) => (index % 10 === 9 ? large : small));
  const options = { resize: { width: 200 }, optimize: { quality: 70 } };
  const answers = await Promise.all(jobs.map((file) => send({ name: "a.jpg", file, options, key: place.key }, place)));
  leaving.abort();
  await Promise.all(drips);
  origin.closeAllConnections();
  origin.close();
  return `${(originals / 1e6).toFixed(1)} MB held by the four; ${summary(answers)}`;
}

/** Three photographs of 4 megapixels to 1,200 pixels at once, and then one of 24 beside three others. */
async function besideUsual(place: Place): Promise<string> {
  const [, usual] = await photo(2_400, 1_650, 88);
  const [, large] = await photo(6_000, 4_000, 85);
  const options = { resize: { width: 1_200 } };
  const [most, three] = await watched(
    place,
    Promise.all([1, 2, 3].map(() => send({ name: "a.jpg", file: usual, options }, place))),
  );
  const [, four] = await watched(
    place,
    Promise.all([usual, usual, usual, large].map((file) => send({ name: "a.jpg", file, options }, place))),
  );
  const waits = four.map(({ waitedMs }) => (waitedMs / 1_000).toFixed(1));
  return `at most ${most.originals} held and ${most.work} in work; ${summary(three)}; with 24 megapixels: waited ${waits.join(", ")} s; ${summary(four)}`;
}

/** The most originals that were held, and work that ran, while something went on. */
async function watched<Result>(
  { base, token }: Place,
  going: Promise<Result>,
): Promise<[{ originals: number; work: number }, Result]> {
  const most = { originals: 0, work: 0 };
  let isOver = false;
  const result = going.finally(() => (isOver = true));
  for (; !isOver; await pause(30)) {
    const answer = await fetch(new URL("/metrics", base), { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    for (const what of ["originals", "work"] as const) {
      const now = Number(new RegExp(`places\\{of="${what}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
      most[what] = Math.max(most[what], now);
    }
  }
  return [most, await result];
}

async function held({ base, token }: Place): Promise<{ work: number; originals: number }> {
  const answer = await fetch(new URL("/metrics", base), { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  const memory = (of: string) => Number(new RegExp(`memory_bytes\\{of="${of}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { work: memory("work"), originals: memory("originals") };
}

/** How fast what needs no work is answered beside photographs of 12 megapixels: the monitor, an account, a hit by address. */
async function besideWork(place: Place): Promise<string> {
  const file = await noise(12_000_000);
  const picture = await pictureByAddress(place);
  let isOver = false;
  const working = Promise.all(
    [1, 2].map(() => send({ name: "a.jpg", file, options: { resize: { width: 2_000 } } }, place)),
  ).finally(() => (isOver = true));
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const asked = [
    { name: "/health", url: new URL("/health", place.base), headers: {} },
    { name: "/metrics", url: new URL("/metrics", place.base), headers: bearer(place.token) },
    { name: "/1.0/account", url: new URL("/1.0/account", place.base), headers: bearer(DEMO_KEY) },
    { name: "a hit by address", url: picture.url, headers: {} },
  ].map((one) => ({ ...one, times: [] as number[], failed: 0 }));
  for (let round = 0; !isOver; round++) {
    const one = asked[round % asked.length];
    if (!one) break;
    const since = performance.now();
    const answer = await fetch(one.url, { headers: one.headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) one.failed++;
    one.times.push(performance.now() - since);
    await pause(20);
  }
  picture.close();
  const statuses = (await working).map(({ status }) => status);
  const told = asked.map(({ name, times, failed }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
    return `${name}: ${times.length} answers, ${failed} not 200, median ${at(0.5)} ms, worst ${at(1)} ms`;
  });
  return `${told.join("; ")}; the work ended with ${statuses.join(", ")}`;
}

/** A small picture of a delivery of its own, which has been made. */
async function pictureByAddress({ base }: Place): Promise<{ readonly url: URL; readonly close: () => void }> {
  const [, photograph] = await photo(640, 480, 85);
  const origin = createServer((_request, response) => response.end(photograph));
  await new Promise<void>((listening) => origin.listen(0, "127.0.0.1", listening));
  const prefix = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`;
  const rules = { sources: [{ kind: "web", prefix }], unsigned: { widths: [200], formats: ["jpeg"] }, refine: false };
  const answer = await fetch(new URL("/1.0/deliveries", base), {
    method: "POST",
    headers: { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(rules),
  });
  const { delivery } = (await answer.json()) as { delivery: { url: string } };
  const url = new URL(`${delivery.url}/w=200/a.jpg`);
  await (await fetch(url)).arrayBuffer();
  return { url, close: () => void origin.close() };
}

function summary(answers: readonly Answered[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const longest = Math.max(...answers.map(({ ms }) => ms)) / 1_000;
  const told = [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${count} of ${answers.length} with ${status || "no answer"}`);
  return `${told.join(", ")}; the longest took ${longest.toFixed(1)} s`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((passed) => setTimeout(passed, milliseconds));
}
