/** Which database holds what. */
import { expect, it } from "vitest";

import { databaseNamed, databasesOf, placeFor } from "../../src/account/databases.ts";
import { DATABASE_ROOM_SHARE } from "../../src/limits/accounts.ts";

const LIMIT = 8_000;
const ROOM = LIMIT * DATABASE_ROOM_SHARE;
const ids = Array.from({ length: 300 }, () => crypto.randomUUID());
const db = { prepare: () => undefined };

/** How many of the accounts lie in each database. */
function spread(...bytes: readonly number[]): Record<string, number> {
  const places = bytes.map((size, index) => ({ name: `DB_${index}`, bytes: size }));
  const counts: Record<string, number> = {};
  for (const id of ids) {
    const name = placeFor(id, places, LIMIT);
    expect(placeFor(id, places, LIMIT)).toBe(name);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

it("spreads accounts evenly over the databases with room", () => {
  const counts = spread(0, ROOM - 1, ROOM, 100, LIMIT * 2);
  expect(Object.keys(counts).toSorted()).toEqual(["DB_0", "DB_1", "DB_3"]);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50);
});

it("puts accounts into the emptiest database where none has room", () => {
  expect(spread(ROOM + 2, ROOM + 1, ROOM + 3)).toEqual({ DB_1: ids.length });
});

it("finds databases by the names of their bindings, DB first", () => {
  const env = { DB_10: db, DB_2: db, DB: db, DB_0: db, DB_01: db, DBX: db, DB_3: "a variable", BUCKET: db };
  expect([...databasesOf(env).keys()]).toEqual(["DB", "DB_2", "DB_10"]);
  expect(databaseNamed(env, "DB_2")).toBe(db);
});

it.each(["DB_1", "DB_3", "BUCKET", "__proto__"])("says that there is no database %s", (name) => {
  const env = { DB: db, DB_3: "a variable", BUCKET: db };
  expect(() => databaseNamed(env, name)).toThrow("The service cannot reach the records of this account right now");
});
