/** The cache in front keeps what the platform's documentation says of it. */
import { expect } from "vitest";

import { CACHE_RULES, WorkersCache } from "./cache.ts";
import { holding } from "./held.ts";

const NOW = Date.UTC(2026, 10, 28);

/** A cache in front of a Worker that answers by `answers`, and counts. */
function cached(answers: (request: Request, run: number) => Response | Promise<Response>) {
  const state = { now: NOW, runs: 0 };
  const cache = new WorkersCache(
    () => state.now,
    async (request) => answers(request, (state.runs += 1)),
  );
  const visit = async (path: string, headers: Record<string, string> = {}, place = "A", method = "GET") => {
    const { answer, status } = await cache.visit(place, new Request(`https://a.test${path}`, { headers, method }));
    return [status, await answer.text()];
  };
  return { state, cache, visit };
}

const lasting = (text: string, headers: Record<string, string> = {}) =>
  new Response(text, { headers: { "Cache-Control": "public, max-age=60", ...headers } });

holding(CACHE_RULES, {
  key: async () => {
    const { visit, state } = cached((request) => lasting(new URL(request.url).search));
    await visit("/a?x=1&y=2");
    expect(await visit("/a?x=1&y=2")).toEqual(["HIT", "?x=1&y=2"]);
    expect(await visit("/a?x=1&y=2", {}, "A", "HEAD")).toEqual(["HIT", ""]);
    expect(await visit("/a?y=2&x=1")).toEqual(["MISS", "?y=2&x=1"]);
    expect(state.runs).toBe(2);
  },

  "vary verbatim": async () => {
    const { visit } = cached((request) => lasting(request.headers.get("accept") ?? "", { Vary: "Accept" }));
    await visit("/a", { accept: "image/avif,image/webp" });
    expect(await visit("/a", { accept: "image/avif,image/webp" })).toEqual(["HIT", "image/avif,image/webp"]);
    expect((await visit("/a", { accept: "image/avif, image/webp" }))[0]).toBe("MISS");
  },

  "two tiers": async () => {
    const { visit, state } = cached(() => lasting("x"));
    await visit("/a", {}, "A");
    expect(await visit("/a", {}, "B")).toEqual(["HIT", "x"]);
    expect(state.runs).toBe(1);
  },

  "joined misses": async () => {
    const { visit, state } = cached(async () => {
      await scheduler.wait(5);
      return lasting("x");
    });
    await Promise.all(Array.from({ length: 10 }, () => visit("/a")));
    expect(state.runs).toBe(1);
    const other = cached(() => new Response("x", { headers: { "Cache-Control": "no-store" } }));
    await Promise.all(Array.from({ length: 10 }, () => other.visit("/a")));
    expect(other.state.runs).toBe(10);
  },

  "stale answers": async () => {
    const stale = { "Cache-Control": "public, max-age=60, stale-while-revalidate=60" };
    const { visit, state } = cached((_, run) =>
      run === 1 || run === 3 ? lasting(String(run), stale) : new Response("", { status: 500 }),
    );
    await visit("/a");
    state.now += 61_000;
    expect(await visit("/a")).toEqual(["UPDATING", "1"]);
    state.now += 10 * 86_400_000;
    expect(await visit("/a")).toEqual(["MISS", "3"]);
    state.now += 10 * 86_400_000;
    expect(await visit("/a")).toEqual(["STALE", "3"]);
    const ended = cached((_, run) =>
      run === 1
        ? lasting("1", { "Cache-Control": "public, max-age=60, stale-if-error=0" })
        : new Response("no", { status: 500 }),
    );
    await ended.visit("/a");
    ended.state.now += 61_000;
    expect(await ended.visit("/a")).toEqual(["BYPASS", "no"]);
    const strict = cached((_, run) =>
      run === 1
        ? lasting("1", { "Cache-Control": "public, s-maxage=60, stale-while-revalidate=60" })
        : new Response("no", { status: 500 }),
    );
    await strict.visit("/a");
    strict.state.now += 61_000;
    expect(await strict.visit("/a")).toEqual(["BYPASS", "no"]);
  },

  "what is not kept": async () => {
    const kept = async (answer: () => Response) => {
      const { visit } = cached(answer);
      await visit("/a");
      return (await visit("/a"))[0] === "HIT";
    };
    expect(await kept(() => lasting("x", { "Set-Cookie": "a=b" }))).toBe(false);
    expect(await kept(() => lasting("x", { "Cache-Control": "private, max-age=60" }))).toBe(false);
    expect(await kept(() => lasting("x", { Vary: "*" }))).toBe(false);
    expect(await kept(() => new Response("x", { status: 206, headers: { "Cache-Control": "max-age=60" } }))).toBe(
      false,
    );
    expect(await kept(() => new Response("x", { status: 404 }))).toBe(true);
    expect(await kept(() => new Response("x", { status: 403 }))).toBe(false);
  },

  "purge bucket": async () => {
    const { cache, visit, state } = cached(() => lasting("x", { "Cache-Tag": "Shop,shop-1" }));
    await visit("/a");
    expect((await cache.purge({ tags: ["shop"] })).success).toBe(true);
    expect((await visit("/a"))[0]).toBe("MISS");
    for (let count = 1; count < 25; count += 1) await cache.purge({ tags: ["shop"] });
    expect((await cache.purge({ tags: ["shop"] })).success).toBe(false);
    state.now += 60_000;
    expect((await cache.purge({ tags: ["shop"] })).success).toBe(true);
  },

  "a hit runs nothing": async () => {
    const { visit, state } = cached(() => lasting("x"));
    await visit("/a");
    await visit("/a");
    expect(state.runs).toBe(1);
  },
});
