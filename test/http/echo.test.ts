/** Values that were received are not repeated, neither in answers nor in logs. */
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { openAccount } from "../support/accounts.ts";
import { type Answer, api, apiOf } from "../support/api.ts";
import { brokenPipeline } from "../support/pipeline.ts";

const MARKER = "ZZmarkerZZ";

const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => void lines.push(parts.map(String).join(" ")));
  }
});
afterEach(() => void vi.restoreAllMocks());

/** Values of every kind that carry the marker; names of members may be repeated, values never. */
const marked = fc.oneof(
  fc.constantFrom(
    MARKER,
    `https://user:${MARKER}@images.test/a.png`,
    `javascript:${MARKER}`,
    `https://${MARKER}`,
    `${MARKER}\r\nx-injected: 1`,
    { member: MARKER },
    [MARKER],
    { deep: { deeper: [MARKER] } },
  ),
  fc.string().map((text) => text + MARKER + text),
);

const body = fc.record(
  {
    url: fc.oneof(fc.constant("https://images.test/a.png"), marked, fc.jsonValue()),
    headers: fc.oneof(fc.dictionary(fc.string(), marked, { maxKeys: 3 }), marked),
    resize: fc.oneof(fc.record({ width: fc.oneof(marked, fc.integer()), mode: marked }, { requiredKeys: [] }), marked),
    output: fc.oneof(fc.record({ format: marked, quality: marked }, { requiredKeys: [] }), fc.jsonValue()),
    response: fc.oneof(fc.record({ mode: fc.oneof(marked, fc.constant("binary")) }), marked),
    store: fc.oneof(fc.record({ secret: marked, key: marked }), marked),
    webhook: fc.oneof(fc.record({ url: marked }), marked),
  },
  { requiredKeys: [] },
);

function said(answer: Answer): string {
  return [...answer.headers].flat().join("\n") + new TextDecoder().decode(answer.bytes) + lines.join("\n");
}

it("answers any JSON with 200 or 4xx, and repeats nothing of it, in the answer or in the log", async () => {
  const { key } = await openAccount(1_000_000);
  await fc.assert(
    fc.asyncProperty(body, async (json) => {
      const answer = await api("POST", "/1.0/fetch", { key, json });
      expect(answer.status).toBeLessThan(500);
      expect(said(answer).includes(MARKER)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it("answers any text with 4xx, and repeats nothing of it", async () => {
  const { key } = await openAccount();
  const headers = { "content-type": "application/json" };
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const answer = await api("POST", "/1.0/fetch", { key, headers, body: `{"url": ${text}${MARKER}` });
      expect(answer.status).toBe(400);
      expect(said(answer).includes(MARKER)).toBe(false);
    }),
  );
});

it("repeats no credential and no path", async () => {
  const secrets = [`Bearer ${MARKER}`, `Basic ${btoa(`${MARKER}:x`)}`, MARKER];
  for (const authorization of secrets) {
    const answer = await api("GET", `/1.0/${MARKER}?key=${MARKER}`, { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(said(answer).includes(MARKER)).toBe(false);
    expect(said(answer)).not.toContain(btoa(MARKER));
  }
});

it("keeps what an error of ours quotes out of the log, and says where it happened", async () => {
  const { key } = await openAccount();
  const cause = new SyntaxError(`Unexpected token, "${MARKER}" is not valid JSON`);
  const error = new Error(`cannot reach https://user:${MARKER}@images.test/`, { cause });
  const answer = await apiOf(brokenPipeline(error))("POST", "/1.0/fetch", {
    key,
    json: { url: "https://images.test/" },
  });
  expect(answer.status).toBe(500);
  expect(said(answer).includes(MARKER)).toBe(false);
  const line = JSON.parse(lines.at(-1) ?? "{}");
  expect(line).toMatchObject({ id: answer.body.id, route: "/1.0/fetch", status: 500 });
  expect(line.causes).toMatchObject([
    { name: "Error", message: "cannot reach <url>" },
    { name: "SyntaxError", message: "Unexpected token, <text> is not valid JSON" },
  ]);
  expect(line.causes[0].at).toContain("echo.test.ts");
});

it("writes one line for a request", async () => {
  const { key } = await openAccount();
  const answer = await api("GET", "/1.0/account", { key });
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? "{}");
  expect(line).toEqual({
    id: answer.headers.get("x-request-id"),
    method: "GET",
    route: "/1.0/account",
    status: 200,
    ms: expect.any(Number),
  });
});
