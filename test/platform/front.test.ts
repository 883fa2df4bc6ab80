/** How many views the cache in front of the Worker answers: Zipf's law over variants, 100 places, two tiers. */
import { expect, it } from "vitest";

import { FRONT, savedBySecondViews } from "../../src/docs/figures.ts";
import { DEFAULT_DELIVERY_TTL_SECONDS, DRAFT_CACHE_SECONDS, STALE_SECONDS } from "../../src/limits/delivery.ts";
import { randomOf } from "../support/event-queue.ts";
import { WorkersCache } from "./cache.ts";

const PLACES = 100;
const VARIANTS = 500;
const MONTH_MS = 30 * 86_400_000;
/** As three browsers spell what they take. */
const ACCEPTS = [
  "image/avif,image/webp,image/*,*/*;q=0.8",
  "image/avif,image/webp,image/apng,*/*;q=0.8",
  "image/webp,*/*",
];

/**
 * The share of a month's views that reach the Worker.
 * @param views of a variant, on average
 * @param hasDrafts whether the first view is a draft, kept for half a minute
 * @param isNegotiated whether the format is by `Accept`
 */
async function missed(views: number, { hasDrafts, isNegotiated }: { hasDrafts: boolean; isNegotiated: boolean }) {
  const random = randomOf(7);
  const sums: number[] = [];
  for (let rank = 1, sum = 0; rank <= VARIANTS; rank += 1) sums.push((sum += 1 / rank));
  const most = sums.at(-1) ?? 0;
  let now = 0;
  let runs = 0;
  const seen = new Map<string, number>();
  const stale = `stale-while-revalidate=${STALE_SECONDS}`;
  const cache = new WorkersCache(
    () => now,
    async ({ url, headers }) => {
      runs += 1;
      const first = seen.get(url) ?? now;
      seen.set(url, first);
      const isDraft = hasDrafts && now - first < DRAFT_CACHE_SECONDS * 1_000;
      const seconds = isDraft ? DRAFT_CACHE_SECONDS : DEFAULT_DELIVERY_TTL_SECONDS;
      const vary = isNegotiated ? { Vary: "Accept" } : undefined;
      return new Response(headers.get("accept"), {
        headers: { "Cache-Control": `public, max-age=${seconds}, ${stale}`, ...vary },
      });
    },
  );
  const total = views * VARIANTS;
  const asked = new Set<number>();
  for (let view = 0; view < total; view += 1) {
    now += MONTH_MS / total;
    const at = random() * most;
    const variant = sums.findIndex((sum) => sum >= at);
    asked.add(variant);
    const accept = ACCEPTS[Math.floor(random() * ACCEPTS.length)] ?? "";
    const place = String(Math.floor(random() * PLACES));
    await cache.visit(place, new Request(`https://a.test/${variant}`, { headers: { accept } }));
  }
  // Views of what was asked for at all.
  return { share: runs / total, ofAVariant: total / asked.size };
}

/** In a hundred, with a decimal. */
const hundredths = (share: number) => Math.round(share * 1_000) / 10;

it("a format that addresses name: 95 of 100 views at 20 of a variant", async () => {
  const { share, ofAVariant } = await missed(20, { hasDrafts: false, isNegotiated: false });
  expect(ofAVariant).toBeLessThan(21);
  expect(share).toBeLessThanOrEqual(0.05);
});

it.each(FRONT)(
  "$views views of a variant, a format that addresses name: $missedNamed of 100 are missed",
  async (row) => {
    const { share } = await missed(row.views, { hasDrafts: false, isNegotiated: false });
    expect(hundredths(share)).toBe(row.missedNamed);
  },
);

it.each(FRONT)(
  "$views views of a variant, drafts and three spellings of Accept: $missed of 100 are missed",
  async (row) => {
    const { share } = await missed(row.views, { hasDrafts: true, isNegotiated: true });
    expect(hundredths(share)).toBe(row.missed);
  },
);

/** Of so many variants by Zipf's law those that are seen, and those that are seen once, where so many views are of them all. */
function seenOf(variants: number, views: number): { readonly any: number; readonly once: number } {
  let most = 0;
  for (let rank = 1; rank <= variants; rank += 1) most += 1 / rank;
  const seen = { any: 0, once: 0 };
  for (let rank = 1; rank <= variants; rank += 1) {
    // Views of one variant are as many as chance has it (Poisson).
    const mean = views / most / rank;
    seen.any += 1 - Math.exp(-mean);
    seen.once += mean * Math.exp(-mean);
  }
  return seen;
}

it.each(FRONT)("$views views of a variant: $seenOnce of 100 are seen once", (row) => {
  const [variants, rounds] = [1_000_000, 30];
  let [few, many] = [0, 2 * row.views * variants];
  for (let round = 0; round < rounds; round += 1) {
    const views = (few + many) / 2;
    if (views / seenOf(variants, views).any < row.views) few = views;
    else many = views;
  }
  const { any, once } = seenOf(variants, many);
  expect(Math.round((once / any) * 100)).toBe(row.seenOnce);
});

it("finals from the second view on would cost more at 40 views of a variant, and at 20 hardly less", () => {
  const saved = FRONT.map(({ seenOnce }) => savedBySecondViews(seenOnce));
  expect(saved.map((dollars) => Math.round(dollars))).toEqual([2, -4, -6]);
});
