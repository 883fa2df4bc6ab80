/** Looking for results that look alike, against counting the bits of all. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { bitsBetween, findAlike, isTelling, keepLooks, sweepLooks } from "../../src/account/alike.ts";
import { ALIKE_KEPT_DAYS, MAX_ALIKE_BITS, MAX_ALIKE_ROWS, SWEPT_LOOKS } from "../../src/limits/reuse.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const BITS = 64;

/** Numbers that look random and are the same each time. */
function numbers(seed: number) {
  let state = BigInt(seed);
  return () => {
    state = BigInt.asUintN(BITS, state * 6364136223846793005n + 1442695040888963407n);
    return state ^ (state >> 29n);
  };
}

const hex = (hash: bigint) => BigInt.asUintN(BITS, hash).toString(16).padStart(16, "0");

/** A hash of which so many bits, from anywhere, are others. */
function moved(hash: bigint, bits: number, next: () => bigint): bigint {
  const places = new Set<bigint>();
  while (places.size < bits) places.add(BigInt.asUintN(6, next() >> 20n));
  return [...places].reduce((result, place) => result ^ (1n << place), hash);
}

const ask = { distance: MAX_ALIKE_BITS, limit: 100 };
const rowCount = () => env.DB.prepare("SELECT count(*) AS rows FROM alike_looks").first<number>("rows");

beforeEach(() => env.DB.prepare("DELETE FROM alike_looks").run());

describe("results that look alike", () => {
  it("are found wherever their bits differ, up to the distance that is asked for, the nearest first", async () => {
    const next = numbers(1);
    const hash = next();
    // Each distance several times, so that the bits fall into the bands in many ways.
    const looks = Array.from({ length: 60 }, (_, index) => {
      return { phash: hex(moved(hash, index % 15, next)), id: `id-${index}`, name: `${index}.jpg` };
    });
    await keepLooks(env.DB, "a", looks, NOW);
    for (const distance of [0, 1, 3, 4, 7, 8, MAX_ALIKE_BITS]) {
      const found = await findAlike(env.DB, "a", { phash: hex(hash), distance, limit: 100 }, NOW);
      const expected = looks.filter(({ phash }) => bitsBetween(phash, hex(hash)) <= distance);
      expect(found.isComplete).toBe(true);
      expect(new Set(found.looks.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
      const distances = found.looks.map((look) => look.distance);
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    }
  });

  it("are one entry of the same picture under the same name, that of the last answer", async () => {
    const phash = hex(numbers(2)());
    await keepLooks(env.DB, "a", [{ phash, id: "first", name: "a.jpg" }], NOW);
    await keepLooks(env.DB, "a", [{ phash, id: "second", name: "a.jpg" }], NOW + 1);
    await keepLooks(env.DB, "a", [{ phash, id: "other", name: "b.jpg" }], NOW);
    const { looks } = await findAlike(env.DB, "a", { ...ask, phash }, NOW);
    expect(looks.map(({ id }) => id)).toEqual(["second", "other"]);
    expect(await rowCount()).toBe(8);
  });

  it("are those of the account alone", async () => {
    const phash = hex(numbers(3)());
    await keepLooks(env.DB, "a", [{ phash, id: "own", name: "a.jpg" }], NOW);
    expect(await findAlike(env.DB, "b", { ...ask, phash }, NOW)).toEqual({ looks: [], isComplete: true });
  });

  it.each(["0000000000000000", "8000000000000000"])("are none of pictures of one color: %s", async (phash) => {
    expect(isTelling(phash)).toBe(false);
    await keepLooks(env.DB, "a", [{ phash, id: "flat", name: "a.jpg" }], NOW);
    expect(await rowCount()).toBe(0);
    expect(await findAlike(env.DB, "a", { ...ask, phash }, NOW)).toEqual({ looks: [], isComplete: true });
  });

  it("are looked for in so many rows at most, those first that share a band; the answer says so", async () => {
    const phash = "123456789abcdef0";
    // All share the first band and nothing else.
    await env.DB.prepare(
      `INSERT INTO alike_looks SELECT 4660, 'a', '1234' || printf('%012x', 281474976710655 - value), value, value, ?1
       FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2) SELECT value FROM n)`,
    )
      .bind(NOW, MAX_ALIKE_ROWS + 1_000)
      .run();
    await keepLooks(env.DB, "b", [{ phash, id: "near", name: "a.jpg" }], NOW);
    expect((await findAlike(env.DB, "a", { ...ask, phash }, NOW)).isComplete).toBe(false);
    expect(await findAlike(env.DB, "b", { ...ask, phash }, NOW)).toMatchObject({
      isComplete: true,
      looks: [{ id: "near" }],
    });
    const few = await findAlike(env.DB, "a", { phash: "1234ffffffffff00", distance: 11, limit: 3 }, NOW);
    expect([few.looks.length, few.isComplete]).toEqual([3, false]);
  });

  it("cost a row for each band, and reading grows with what shares a band alone", async () => {
    const next = numbers(4);
    const written: number[] = [];
    const read: number[] = [];
    const counted = {
      prepare: (sql: string) => {
        const statement = env.DB.prepare(sql);
        return {
          bind: (...values: unknown[]) => {
            const bound = statement.bind(...values);
            return Object.assign(bound, {
              all: async () => {
                const answer = await env.DB.prepare(sql)
                  .bind(...values)
                  .run();
                read.push(answer.meta.rows_read);
                return answer;
              },
            });
          },
        };
      },
      batch: async (statements: D1PreparedStatement[]) => {
        const answers = await env.DB.batch(statements);
        written.push(...answers.map(({ meta }) => meta.rows_written));
        return answers;
      },
    } as unknown as D1Database;
    for (let round = 0; round < 20; round += 1) {
      const looks = Array.from({ length: 50 }, (_, index) => ({
        phash: hex(next()),
        id: "i",
        name: `${round}-${index}`,
      }));
      await keepLooks(counted, "a", looks, NOW);
    }
    expect(new Set(written)).toEqual(new Set([4]));
    await findAlike(counted, "a", { phash: hex(next()), distance: 7, limit: 100 }, NOW);
    // 68 bands are looked up; a thousand results lie in 4,000 rows, of which next to none share one.
    expect(read[0]).toBeLessThan(150);
  });
});

describe("the sweep", () => {
  it("deletes what is a year old, a page at a time; until then it is over all the same", async () => {
    const next = numbers(5);
    const looks = Array.from({ length: 20 }, (_, index) => ({ phash: hex(next()), id: "i", name: `${index}` }));
    const [oldest] = looks;
    await keepLooks(env.DB, "a", looks, NOW);
    await keepLooks(env.DB, "a", [{ phash: hex(next()), id: "young", name: "young" }], NOW + DAY_MS);
    const later = NOW + ALIKE_KEPT_DAYS * DAY_MS + 1;
    expect((await findAlike(env.DB, "a", { ...ask, phash: oldest?.phash ?? "" }, later)).looks).toEqual([]);
    await sweepLooks(env.DB, NOW + DAY_MS, 0);
    expect(await rowCount()).toBe(84);
    await sweepLooks(env.DB, later, 0);
    expect(await rowCount()).toBe(4);
  });

  it("looks at so many rows at most", async () => {
    await env.DB.prepare(
      `INSERT INTO alike_looks SELECT value, 'a', '1', '', '', 0
       FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?1) SELECT value FROM n)`,
    )
      .bind(SWEPT_LOOKS + 50)
      .run();
    await sweepLooks(env.DB, NOW, 0);
    expect(await rowCount()).toBe(50);
    const plan = await env.DB.prepare(
      `EXPLAIN QUERY PLAN DELETE FROM alike_looks WHERE kept_at < 5 AND (band, account_id, phash, name) IN
         (SELECT band, account_id, phash, name FROM alike_looks WHERE band >= 7 ORDER BY band LIMIT 9)`,
    ).all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail).join("; ")).not.toContain("SCAN alike_looks");
  });
});
