/** What a monitor reads: the counts of this isolate, in the text format of Prometheus. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import alerts from "../../src/docs/alerts.yml?raw";
import dashboard from "../../src/docs/dashboard.json";
import { createApp } from "../../src/http/app.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { MAX_SOURCE_BYTES } from "../../src/limits.ts";
import { MAX_ORIGINALS_BYTES } from "../../src/limits/isolate.ts";
import { count, told } from "../../src/metrics.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { REASONS } from "../../src/refusal-reasons.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import png from "../fixtures/png/palette-8.png";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { reserve } from "../support/budget.ts";
import { deliveryWorld } from "../support/delivery.ts";
import { families, type Family } from "../support/prometheus.ts";

const api = apiOf(pipeline);

async function scraped(): Promise<Family[]> {
  const { status, headers, bytes } = await api("GET", "/metrics", { headers: ADMIN });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return families(new TextDecoder().decode(bytes));
}

/** Every value by its name and labels, but for the isolate, which is one. */
async function metrics(): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  for (const { name, samples } of await scraped()) {
    for (const { labels, value } of samples) {
      const { isolate, ...others } = labels;
      expect(isolate).toMatch(/^[0-9a-f]{8}$/);
      const spelled = Object.entries(others).map(([label, text]) => `${label}="${text}"`);
      values.set(`${name} ${spelled.join(",")}`.trim(), value);
    }
  }
  return values;
}

it("counts a picture, its bytes, its time and its request", async () => {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File([png], "a.png"));
  body.set("data", '{"output":{"format":"webp"}}');
  const before = await metrics();
  const answer = await api("POST", "/1.0/upload", { key, body });
  expect(answer.status).toBe(200);
  const after = await metrics();
  const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(more('darkroom_requests_total method="POST",route="/1.0/upload",status="200"')).toBe(1);
  expect(more('darkroom_pictures_total from="PNG",to="WEBP"')).toBe(1);
  expect(more('darkroom_picture_bytes_total way="in",format="PNG"')).toBe(png.byteLength);
  expect(after.get('darkroom_processing_seconds_total stage="encode",format="WEBP"')).toBeGreaterThanOrEqual(0);
  expect(after.get('darkroom_memory_bytes of="work"')).toBe(0);
  const native = after.get('darkroom_memory_bytes of="native"');
  const modules = [...after].filter(([name]) => name.startsWith("darkroom_native_memory_bytes "));
  expect(native).toBeGreaterThan(0);
  expect(modules.reduce((sum, [, bytes]) => sum + bytes, 0)).toBe(native);
  expect(after.get('darkroom_native_memory_bytes module="webp",state="idle"')).toBeGreaterThan(0);
});

it("counts refusals by reason, without figures", async () => {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File(["no picture"], "a.png"));
  expect((await api("POST", "/1.0/upload", { key, body })).status).toBe(415);
  expect((await metrics()).get('darkroom_refusals_total status="415",reason="type"')).toBeGreaterThan(0);
});

it("has no label that an anonymous client can make up", async () => {
  const { key } = await openAccount();
  const { delivery, ask } = await deliveryWorld();
  for (let guess = 0; guess < 600; guess += 1) {
    await ask(`/i/${delivery.id}/zabc${guess}=a/https://www.example.com/uploads/a.jpg`);
  }
  for (const path of ["/a", "/b", "/1.0/x", "/1.0/account/c"]) await api("GET", path, { key });
  for (const width of ["a", "b", "c"])
    await api("POST", "/1.0/fetch", { key, json: { url: "https://a.test", resize: { [`w${width}`]: 1 } } });
  const app = createApp(pipeline);
  const strange = new Request("https://darkroom.test/health", { method: "PROPFIND" });
  await app.fetch(strange, env, { waitUntil: () => undefined } as unknown as ExecutionContext);
  const refusals = (await scraped()).find(({ name }) => name === "darkroom_refusals_total")?.samples ?? [];
  expect(refusals.length).toBeGreaterThan(2);
  for (const { labels } of refusals) expect(REASONS).toContain(labels["reason"]);
  expect(refusals.filter(({ labels }) => labels["status"] === "422")).toHaveLength(1);
  const requests = (await scraped()).find(({ name }) => name === "darkroom_requests_total")?.samples ?? [];
  const routes = new Set(ROUTES.map(({ path }) => path));
  const paths = new Set(requests.map(({ labels }) => labels["route"] ?? ""));
  expect([...paths.difference(routes)].filter((path) => path !== "none" && !path.endsWith("/*"))).toEqual([]);
  const methods = new Set(requests.map(({ labels }) => labels["method"]));
  expect([methods.has("PROPFIND"), methods.has("other")]).toEqual([false, true]);
});

it("counts originals for which there is no room", async () => {
  const { key } = await openAccount();
  const held = reserve(isolateBudget, MAX_ORIGINALS_BYTES);
  try {
    const headers = { "content-length": String(MAX_SOURCE_BYTES), "content-type": "multipart/form-data; boundary=x" };
    const answer = await api("POST", "/1.0/upload", { key, headers, body: "--x--", env: { MAX_WAIT_SECONDS: "0" } });
    expect(answer.status).toBe(503);
  } finally {
    held.release();
  }
  expect((await metrics()).get('darkroom_refusals_total status="503",reason="capacity"')).toBeGreaterThan(0);
});

it("is for the operator alone", async () => {
  const { key } = await openAccount();
  expect((await api("GET", "/metrics", { key })).status).toBe(401);
  expect((await api("GET", "/metrics")).status).toBe(401);
});

it("writes labels that nothing can break out of, and so many at most", () => {
  count("refusals_total", { reason: 'a "quoted" \\ text\nof two lines' });
  expect(told([], { isolate: "a" })).toContain(
    String.raw`darkroom_refusals_total{reason="a \"quoted\" \\ text\nof two lines",isolate="a"} 1`,
  );
  for (let index = 0; index < 2_000; index++) count("refusals_total", { status: 422, reason: `reason ${index}` });
  const lines = told([], {})
    .split("\n")
    .filter((line) => line.startsWith("darkroom_refusals_total"));
  expect(lines.length).toBeLessThan(600);
  expect(lines.join("\n")).toContain('{status="other",reason="other"}');
});

it("tells what a monitor is promised", async () => {
  const types = new Map((await scraped()).map(({ name, type }) => [name.replace(/^darkroom_/, ""), type]));
  expect(Object.fromEntries(types)).toMatchObject({
    requests_total: "counter",
    refusals_total: "counter",
    pictures_total: "counter",
    picture_bytes_total: "counter",
    processing_seconds_total: "counter",
    queue_wait_seconds_total: "counter",
    budget_wait_seconds_total: "counter",
    waiting: "gauge",
    places: "gauge",
    longest_wait_seconds: "gauge",
    memory_bytes: "gauge",
    native_memory_bytes: "gauge",
    replacements_total: "counter",
  });
});

it.each([
  ["the dashboard", JSON.stringify(dashboard)],
  ["the alerts", alerts],
])("is asked by %s for nothing that is not there", async (_, text) => {
  const names = new Set((await scraped()).map(({ name }) => name));
  const asked = new Set(text.match(/\bdarkroom_\w+/g));
  expect(asked.size).toBeGreaterThan(5);
  for (const name of asked) expect(names).toContain(name);
});

it.each([
  ["a label that is not closed", 'a_total{b="c} 1'],
  ["a sample of another family", "b_total 1"],
  ["a counter below zero", "a_total -1"],
  ["the same series twice", 'a_total{b="c",d="e"} 1\na_total{d="e",b="c"} 2'],
])("is read by rules that find %s", (_, lines) => {
  const head = "# HELP a_total A.\n# TYPE a_total counter\n";
  expect(families(`${head}a_total{z="y"} 1\n`)).toHaveLength(1);
  expect(() => families(`${head}${lines}\n`)).toThrow();
});
