/** Keys: how they are made, known, and refused without a question. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { findHolder, forgetKeys, generateKey, mayBeKey } from "../../src/account/keys.ts";
import { MAX_CACHED_KEYS } from "../../src/limits/accounts.ts";
import { openAccount } from "../support/accounts.ts";

const NOW = Date.UTC(2026, 10, 20);

/** The database of the tests, with its questions counted; or one that knows no key. */
function counted(db?: D1Database) {
  const state = { questions: 0 };
  const none = { bind: () => ({ first: async () => null }) };
  const prepare = (sql: string) => {
    state.questions += 1;
    return db ? db.prepare(sql) : none;
  };
  return { db: { prepare } as unknown as D1Database, state };
}

beforeEach(() => forgetKeys());

describe("a key's checksum", () => {
  it("fits every new key, and no key of which a character was changed", () => {
    for (let round = 0; round < 50; round += 1) {
      const key = generateKey();
      expect(mayBeKey(key)).toBe(true);
      for (let at = 3; at < key.length; at += 1) {
        const other = key[at] === "a" ? "b" : "a";
        expect(mayBeKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      }
    }
  });

  it.each([`dk_${"a".repeat(40)}`, "demo", "DK_x"])(
    "is not asked of %s, which may be older or an operator's",
    (key) => {
      expect(mayBeKey(key)).toBe(true);
    },
  );

  it.each(["dk_", "dk_unknown", `dk_${"a".repeat(41)}`, `dk_${"a".repeat(46)}`])("refuses %s", (key) => {
    expect(mayBeKey(key)).toBe(false);
  });

  it("spares the database a question where it does not fit", async () => {
    const { db, state } = counted();
    expect(await findHolder(db, `dk_${"a".repeat(46)}`, NOW)).toBeNull();
    expect(state.questions).toBe(0);
    expect(await findHolder(db, `dk_${"a".repeat(40)}`, NOW)).toBeNull();
    expect(state.questions).toBe(1);
  });
});

describe("what is remembered of keys", () => {
  it.each([
    ["of any shape", (guess: number) => `guess-${guess}`],
    ["with the right checksum", generateKey],
  ])("is not forgotten in a flood of keys %s that do not exist", async (_, guessed) => {
    const { key, keyId } = await openAccount();
    const real = counted(env.DB);
    expect((await findHolder(real.db, key, NOW))?.keyId).toBe(keyId);
    const { db } = counted();
    for (let guess = 0; guess <= MAX_CACHED_KEYS; guess += 1) await findHolder(db, guessed(guess), NOW);
    expect((await findHolder(real.db, key, NOW + 1_000))?.keyId).toBe(keyId);
    expect(real.state.questions).toBe(1);
  });

  it("tells an anonymous client from a key that only wants to be asked about again", async () => {
    const { key } = await openAccount();
    const refuse = () => {
      throw new Error("a stranger");
    };
    await expect(findHolder(env.DB, key, NOW, { onAnonymousClient: refuse })).rejects.toThrow("a stranger");
    await findHolder(env.DB, key, NOW);
    expect(await findHolder(env.DB, key, NOW + 3_600_000, { onAnonymousClient: refuse })).not.toBeNull();
  });
});
