/** How many views the cache in front of the Worker answers: Zipf's law over variants, 100 places, two tiers. */
import { expect, it } from "vitest";

import { FRONT } from "../../src/docs/figures.ts";
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

it("a format that addresses name: 95 of 100 views at 20 of a variant", async () => {
  const { share, ofAVariant } = await missed(20, { hasDrafts: false, isNegotiated: false });
  expect(ofAVariant).toBeLessThan(21);
  expect(share).toBeLessThanOrEqual(0.05);
});

it.each(FRONT)(
  "$views views of a variant, drafts and three spellings of Accept: $missed of 100 are missed",
  async (row) => {
    const { share } = await missed(row.views, { hasDrafts: true, isNegotiated: true });
    expect(Math.round(share * 1_000) / 10).toBe(row.missed);
  },
);
