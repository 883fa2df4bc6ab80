/** `caches.default` of one place, on the platform's clock. */

interface Kept {
  readonly body: ArrayBuffer;
  readonly status: number;
  readonly headers: Headers;
  readonly until: number;
}

export class EdgeCache {
  private readonly kept = new Map<string, Kept>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** As of another place, or when all have been forgotten there. */
  clear(): void {
    this.kept.clear();
  }

  match({ url }: Request): Response | undefined {
    const found = this.kept.get(url);
    if (!found || found.until <= this.now()) return undefined;
    const { body, status, headers } = found;
    return new Response(body, { status, headers });
  }

  async put({ url }: Request, answer: Response): Promise<void> {
    const control = answer.headers.get("cache-control") ?? "";
    const seconds = Number(/(?:s-maxage|max-age)=(\d+)/.exec(control)?.[1] ?? 0);
    const body = await answer.arrayBuffer();
    if (/no-store|private/.test(control)) return;
    const { status, headers } = answer;
    this.kept.set(url, { body, status, headers: new Headers(headers), until: this.now() + seconds * 1_000 });
  }

  delete({ url }: Request): boolean {
    return this.kept.delete(url);
  }
}
