/** What a monitor reads: the counts of this isolate, in the text format of Prometheus. */
import { expect, it } from "vitest";

import { count, told } from "../../src/metrics.ts";
import { street } from "../../src/street/edges.ts";
import png from "../fixtures/png/palette-8.png";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";

const api = apiOf(street);

/** One line: a name, labels and a value, as the format has them. */
const SAMPLE = /^([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\d+(?:\.\d+)?(?:e-?\d+)?)$/;

async function metrics(): Promise<Map<string, number>> {
  const { status, headers, bytes } = await api("GET", "/metrics", { headers: ADMIN });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const values = new Map<string, number>();
  const text = new TextDecoder().decode(bytes);
  for (const line of text
    .trimEnd()
    .split("\n")
    .filter((other) => !other.startsWith("#"))) {
    const [, name = "", labels = "", value] = SAMPLE.exec(line) ?? [];
    expect(name, line).not.toBe("");
    expect(labels).toMatch(/isolate="[0-9a-f]{8}"$/);
    values.set(`${name} ${labels.replace(/,?isolate="[0-9a-f]+"$/, "")}`.trim(), Number(value));
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
  expect(after.get('darkroom_memory_bytes of="native"')).toBeGreaterThan(0);
});

it("counts refusals by reason, without figures", async () => {
  const { key } = await openAccount();
  const body = new FormData();
  body.set("file", new File(["no picture"], "a.png"));
  expect((await api("POST", "/1.0/upload", { key, body })).status).toBe(415);
  const reason = "The file is not an image in a supported format";
  expect((await metrics()).get(`darkroom_refusals_total status="415",reason="${reason}"`)).toBeGreaterThan(0);
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
