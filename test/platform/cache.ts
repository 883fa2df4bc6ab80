/** The cache that the platform puts in front of a Worker, as its documentation describes it. */
import { DOCS, READ, type Rule } from "./rule.ts";

const cache = `${DOCS}/workers/cache/`;

export const CACHE_RULES: readonly Rule[] = [
  {
    name: "key",
    says: "Answers are known by path and query, not by host or method; spellings of the same query are different.",
    source: `${cache}cache-keys/`,
    read: READ,
  },
  {
    name: "vary verbatim",
    says: "Variants are told apart by the exact values of the headers that `Vary` names.",
    source: cache,
    read: READ,
  },
  {
    name: "two tiers",
    says: "A place asks the upper tier before the Worker; an answer is kept in both.",
    source: cache,
    read: READ,
  },
  {
    name: "joined misses",
    says: "Equal misses of a place at the same time run the Worker once, if its answer may be kept.",
    source: cache,
    read: READ,
  },
  {
    name: "stale answers",
    says: "`stale-while-revalidate` shows the old answer while the new one is made; without `stale-if-error` an old answer is shown for ever when the Worker fails; `s-maxage`, `must-revalidate` and `proxy-revalidate` forbid both.",
    source: `${cache}configuration/`,
    read: READ,
  },
  {
    name: "what is not kept",
    says: "Answers with `Set-Cookie`, `private` or `no-store`, with `Vary: *`, 206 and 520 to 526 are not; those without `Cache-Control` are, for a time by their status.",
    source: `${cache}limitations/`,
    read: READ,
  },
  {
    name: "purge bucket",
    says: "`ctx.cache.purge` has the bounds of the Free plan: 5 calls a minute, 25 at once.",
    source: `${DOCS}/cache/how-to/purge-cache/#availability-and-limits`,
    read: READ,
  },
  {
    name: "a hit runs nothing",
    says: "A hit is billed as a request, and no processor time with it.",
    source: cache,
    read: READ,
  },
];

/** Seconds for which answers without `Cache-Control` are kept. */
const HEURISTIC: Readonly<Record<number, number>> = {
  200: 7_200,
  203: 7_200,
  204: 7_200,
  300: 1_200,
  301: 1_200,
  404: 180,
  405: 60,
  410: 180,
  414: 60,
  501: 60,
};
const PURGES_AT_ONCE = 25;
const PURGES_A_MINUTE = 5;

export type Status = "HIT" | "MISS" | "UPDATING" | "STALE" | "BYPASS";

interface Kept {
  readonly body: ArrayBuffer;
  readonly status: number;
  readonly headers: Headers;
  readonly freshUntil: number;
  readonly staleUntil: number;
  /** Until when it is shown when the Worker fails. */
  readonly errorUntil: number;
  readonly tags: readonly string[];
  readonly path: string;
}

/** One tier at one place: variants by path, each with the headers it was made for. */
class Tier {
  private readonly entries = new Map<string, Map<string, Kept>>();
  /** Which headers tell the variants of a path apart. */
  private readonly vary = new Map<string, readonly string[]>();

  find(path: string, headers: Headers): Kept | undefined {
    return this.entries.get(path)?.get(this.variant(path, headers));
  }

  keep(kept: Kept, headers: Headers): void {
    const names = (kept.headers.get("vary") ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
    this.vary.set(kept.path, names);
    const variants = this.entries.get(kept.path) ?? new Map<string, Kept>();
    this.entries.set(kept.path, variants.set(this.variant(kept.path, headers), kept));
  }

  /** Forgets all variants of what carries one of the tags. */
  purge(tags: ReadonlySet<string>): void {
    for (const [path, variants] of this.entries) {
      if (variants.values().some((kept) => kept.tags.some((tag) => tags.has(tag)))) this.entries.delete(path);
    }
  }

  private variant(path: string, headers: Headers): string {
    return JSON.stringify((this.vary.get(path) ?? []).map((name) => headers.get(name)));
  }
}

export class WorkersCache {
  private readonly upper = new Tier();
  private readonly lower = new Map<string, Tier>();
  private readonly joined = new Map<string, Promise<Kept | undefined>>();
  private readonly now: () => number;
  private readonly run: (request: Request) => Promise<Response>;
  private purges = PURGES_AT_ONCE;
  private purgedAt: number;

  /** @param run the Worker behind the cache */
  constructor(now: () => number, run: (request: Request) => Promise<Response>) {
    this.now = now;
    this.run = run;
    this.purgedAt = now();
  }

  /** A request as it comes to one of the platform's places. */
  async visit(place: string, request: Request): Promise<{ readonly answer: Response; readonly status: Status }> {
    if (request.method !== "GET" && request.method !== "HEAD")
      return { answer: await this.run(request), status: "BYPASS" };
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const near = this.tierOf(place);
    const local = near.find(path, request.headers);
    const known = local && this.isShown(local) ? local : (this.upper.find(path, request.headers) ?? local);
    if (known && known.freshUntil > this.now()) {
      near.keep(known, request.headers);
      return { answer: told(known, request), status: "HIT" };
    }
    if (known && known.staleUntil > this.now()) {
      void this.fill(place, path, request).catch(() => undefined);
      return { answer: told(known, request), status: "UPDATING" };
    }
    return this.missed(place, path, request, known);
  }

  /** `ctx.cache.purge`, for whoever answers. */
  purge = async ({
    tags = [],
  }: {
    readonly tags?: string[];
  }): Promise<{ success: boolean; errors: { code: number; message: string }[]; zoneTag: string }> => {
    const refilled = ((this.now() - this.purgedAt) / 60_000) * PURGES_A_MINUTE;
    this.purges = Math.min(PURGES_AT_ONCE, this.purges + refilled);
    this.purgedAt = this.now();
    if (this.purges < 1) return { success: false, errors: [{ code: 10_429, message: "rate limited" }], zoneTag: "" };
    this.purges -= 1;
    const named = new Set(tags.map((tag) => tag.toLowerCase()));
    for (const tier of [this.upper, ...this.lower.values()]) tier.purge(named);
    return { success: true, errors: [], zoneTag: "" };
  };

  private isShown(kept: Kept): boolean {
    return Math.max(kept.freshUntil, kept.staleUntil) > this.now();
  }

  private tierOf(place: string): Tier {
    const known = this.lower.get(place) ?? new Tier();
    this.lower.set(place, known);
    return known;
  }

  private async missed(
    place: string,
    path: string,
    request: Request,
    old: Kept | undefined,
  ): Promise<{ answer: Response; status: Status }> {
    const name = `${place} ${path} ${request.headers.get("accept") ?? ""}`;
    const joined = this.joined.get(name);
    const shared = joined && (await joined.catch(() => undefined));
    if (shared) return { answer: told(shared, request), status: "HIT" };
    const filling = this.fill(place, path, request);
    const kept = filling.then((made) => ("kept" in made ? made.kept : undefined));
    this.joined.set(name, kept);
    try {
      const made = await filling;
      if (made.answer.status >= 500 && old && old.errorUntil > this.now()) {
        return { answer: told(old, request), status: "STALE" };
      }
      return { answer: made.answer, status: made.kept ? "MISS" : "BYPASS" };
    } finally {
      if (this.joined.get(name) === kept) this.joined.delete(name);
    }
  }

  /** Runs the Worker, and keeps what may be kept in both tiers. */
  private async fill(place: string, path: string, request: Request): Promise<{ answer: Response; kept?: Kept }> {
    const asked = new Request(request, { method: "GET" });
    asked.headers.delete("range");
    const answer = await this.run(asked);
    const terms = termsOf(answer, request.headers.has("authorization"));
    if (!terms) return { answer };
    const body = await answer.arrayBuffer();
    const now = this.now();
    const headers = new Headers(answer.headers);
    const tags = (headers.get("cache-tag") ?? "").toLowerCase().split(",").filter(Boolean);
    headers.delete("cache-tag");
    const { freshSeconds, staleSeconds, errorSeconds } = terms;
    const freshUntil = now + freshSeconds * 1_000;
    const kept: Kept = {
      body,
      status: answer.status,
      headers,
      freshUntil,
      staleUntil: freshUntil + staleSeconds * 1_000,
      errorUntil: freshUntil + errorSeconds * 1_000,
      tags,
      path,
    };
    this.upper.keep(kept, request.headers);
    this.tierOf(place).keep(kept, request.headers);
    return { answer: told(kept, request), kept };
  }
}

interface Terms {
  readonly freshSeconds: number;
  readonly staleSeconds: number;
  readonly errorSeconds: number;
}

/** How long an answer is kept; undefined: not at all. */
function termsOf({ status, headers }: Response, isAuthorized: boolean): Terms | undefined {
  const control = (
    headers.get("cloudflare-cdn-cache-control") ??
    headers.get("cdn-cache-control") ??
    headers.get("cache-control") ??
    ""
  ).toLowerCase();
  const seconds = (name: string): number | undefined => {
    const found = new RegExp(`(?:^|[,\\s])${name}=(\\d+)`).exec(control);
    return found ? Number(found[1]) : undefined;
  };
  const says = (name: string) => control.split(",").some((directive) => directive.trim() === name);
  if (headers.has("set-cookie") || headers.get("vary")?.trim() === "*") return undefined;
  if (status === 206 || (status >= 520 && status <= 526)) return undefined;
  if (says("private") || says("no-store")) return undefined;
  const shared = seconds("s-maxage");
  const isStrict = shared !== undefined || says("must-revalidate") || says("proxy-revalidate");
  if (isAuthorized && !says("public") && !isStrict) return undefined;
  const freshSeconds = says("no-cache")
    ? 0
    : (shared ?? seconds("max-age") ?? (control === "" ? HEURISTIC[status] : undefined));
  if (freshSeconds === undefined) return undefined;
  if (isStrict) return { freshSeconds, staleSeconds: 0, errorSeconds: 0 };
  return {
    freshSeconds,
    staleSeconds: seconds("stale-while-revalidate") ?? 0,
    errorSeconds: seconds("stale-if-error") ?? Infinity,
  };
}

function told({ body, status, headers }: Kept, { method }: Request): Response {
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers });
}
