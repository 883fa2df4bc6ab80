/** Callers without a key that exists: they are counted in the isolate before anything else is asked. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys, generateKey } from "../../src/account/keys.ts";
import { AnonymousClients } from "../../src/http/anonymous-clients.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";

const NOW = Date.UTC(2026, 10, 20);

beforeEach(() => forgetKeys());

describe("anonymous clients", () => {
  it("have a window's requests at once, and then one at a time", () => {
    const anonymousClients = new AnonymousClients();
    const take = (seconds: number) => anonymousClients.take("a", 900, NOW + seconds * 1000);
    for (let request = 0; request < 900; request += 1) expect(take(0)).toBe(0);
    expect(take(0)).toBe(1);
    expect([take(1), take(1), take(2)]).toEqual([0, 1, 0]);
    expect(anonymousClients.take("b", 900, NOW)).toBe(0);
  });

  it("are told how long to wait", () => {
    const anonymousClients = new AnonymousClients();
    expect([anonymousClients.take("a", 1, NOW), anonymousClients.take("a", 1, NOW)]).toEqual([0, 900]);
    expect(anonymousClients.take("a", 1, NOW + 450_000)).toBe(450);
    expect(new AnonymousClients().take("a", 0, NOW)).toBe(900);
  });

  it("are not counted where the key turned out to exist", () => {
    const anonymousClients = new AnonymousClients();
    for (let request = 0; request < 3; request += 1) {
      expect(anonymousClients.take("a", 1, NOW)).toBe(0);
      anonymousClients.giveBack("a");
    }
  });

  it("are forgotten, the longest silent first", () => {
    const anonymousClients = new AnonymousClients(2);
    for (const address of ["a", "b", "a", "c"]) anonymousClients.take(address, 2, NOW);
    expect(anonymousClients.take("a", 2, NOW)).toBeGreaterThan(0);
    expect(anonymousClients.take("b", 2, NOW)).toBe(0);
  });
});

/** Bindings whose questions are counted. */
function counted() {
  const asked = { database: 0, meters: 0 };
  const DB = { prepare: (sql: string) => ((asked.database += 1), env.DB.prepare(sql)) };
  const METER = { getByName: (name: string) => ((asked.meters += 1), env.METER.getByName(name)) };
  return { asked, env: { DB, METER, ANONYMOUS_LIMIT: "3" } };
}

it.each([
  ["of any shape", "192.0.2.201", (guess: number) => `guess-${guess}`],
  ["with the right checksum", "192.0.2.203", generateKey],
])(
  "a flood of unknown keys %s is refused without a question, and keeps no known key out",
  async (_, address, guessed) => {
    const { key } = await openAccount();
    const headers = { "cf-connecting-ip": address };
    const { asked, env: bindings } = counted();
    const call = (credential: string) =>
      api("GET", "/1.0/account", { headers: { ...headers, authorization: `Bearer ${credential}` }, env: bindings });
    expect((await call(key)).status).toBe(200);
    const before = { ...asked };
    const statuses: number[] = [];
    for (let guess = 0; guess < 8; guess += 1) statuses.push((await call(guessed(guess))).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
    expect(asked.database - before.database).toBe(3);
    // No object counts anonymous clients: each would be paid for.
    expect(asked.meters).toBe(before.meters);
    expect((await call(key)).status).toBe(200);
    const refused = await call(guessed(9));
    expect(refused.headers.get("retry-after")).toBe(refused.headers.get("x-ratelimit-reset"));
    expect(refused.headers.get("x-ratelimit-limit")).toBe("3");
  },
);

it("requests without a key and with a mistyped one are counted too", async () => {
  const { asked, env: bindings } = counted();
  const call = (headers: Record<string, string>) =>
    api("GET", "/1.0/account", { headers: { ...headers, "cf-connecting-ip": "192.0.2.202" }, env: bindings });
  const typo = { authorization: `Bearer dk_${"a".repeat(46)}` };
  const answers = [await call({}), await call(typo), await call({}), await call(typo), await call({})];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
  expect(asked).toEqual({ database: 0, meters: 0 });
});

it("a flood of well-formed keys from many addresses costs a known key no further look-up", async () => {
  const { key } = await openAccount();
  const { asked, env: bindings } = counted();
  const call = (credential: string, address: string) => {
    const headers = { "cf-connecting-ip": address, authorization: `Bearer ${credential}` };
    return api("GET", "/1.0/account", { headers, env: bindings });
  };
  expect((await call(key, "198.51.100.1")).status).toBe(200);
  for (let guess = 0; guess < 12; guess += 1) {
    expect((await call(generateKey(), `203.0.113.${guess}`)).status).toBe(401);
  }
  const before = asked.database;
  expect((await call(key, "198.51.100.2")).status).toBe(200);
  expect(asked.database).toBe(before);
});

it("what an address may not ask any more is refused before a key that this isolate does not know is looked up", async () => {
  const { key } = await openAccount();
  const { asked, env: bindings } = counted();
  const call = (credential: string) => {
    const headers = { "cf-connecting-ip": "192.0.2.204", authorization: `Bearer ${credential}` };
    return api("POST", "/1.0/fetch", { headers, json: {}, env: bindings });
  };
  const unknown = generateKey();
  for (let request = 0; request < 3; request += 1) expect((await call(unknown)).status).toBe(401);
  const before = { ...asked };
  for (const credential of [unknown, generateKey(), key]) expect((await call(credential)).status).toBe(429);
  expect(asked).toEqual(before);
});
