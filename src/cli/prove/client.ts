/** Requests of `npm run prove`: each counted before it is sent, named, and told with the isolate that answered. */
import type { Spending, Used } from "./spending.ts";
import { NAME_HEADER } from "./tail.ts";

/** A deployment that answers. */
export interface Reached {
  readonly url: URL;
  readonly token: string;
}

export interface Answered {
  /** The name of the request, in the log. */
  readonly name: string;
  readonly status: number;
  readonly headers: Headers;
  /** The isolate, and how many requests it has had with this one; empty and 0 where none has answered. */
  readonly isolate: string;
  readonly ofIsolate: number;
  /** Milliseconds until the whole answer was there. */
  readonly ms: number;
  readonly text: string;
}

export interface Asking extends RequestInit {
  readonly used?: Used;
  readonly duplex?: "half";
}

export class Client {
  private readonly reached: Reached;
  private readonly spending: Spending;
  private readonly until: AbortSignal;
  private asked = 0;

  /** @param until when all has to be over */
  constructor(reached: Reached, spending: Spending, until: AbortSignal) {
    this.reached = reached;
    this.spending = spending;
    this.until = until;
  }

  /** @throws Error when nobody answers, or it would cost too much */
  async ask(path: string, { used, headers, ...init }: Asking = {}): Promise<Answered> {
    this.spending.add(used);
    const name = `${(this.asked += 1)}`;
    const sent = new Headers(headers);
    sent.set(NAME_HEADER, name);
    const startedAt = performance.now();
    const response = await fetch(new URL(path, this.reached.url), { ...init, headers: sent, signal: this.until });
    const text = await response.text();
    const [isolate = "", count = "0"] = (response.headers.get("x-prove-isolate") ?? "").split(" ");
    const { status } = response;
    const ms = performance.now() - startedAt;
    return { name, status, headers: response.headers, isolate, ofIsolate: Number(count), ms, text };
  }

  /** Asks for something of the probe. @throws Error when it was not answered */
  async probe<Found>(what: string, asked: object = {}, used?: Used): Promise<Answered & { readonly found: Found }> {
    const answered = await this.operate(`/prove/${what}`, asked, used);
    if (answered.status !== 200) throw new Error(`/prove/${what} was answered with ${answered.status}`);
    return { ...answered, found: JSON.parse(answered.text) as Found };
  }

  /** Bytes for the probe to keep. */
  put(path: string, bytes: Uint8Array): Promise<Answered> {
    const headers = { authorization: `Bearer ${this.reached.token}`, "content-type": "image/jpeg" };
    return this.ask(path, { method: "POST", headers, body: bytes as Uint8Array<ArrayBuffer>, used: { writes: 1 } });
  }

  /** A request of the operator. */
  operate(path: string, json: object, used?: Used, method = "POST"): Promise<Answered> {
    const headers = { authorization: `Bearer ${this.reached.token}`, "content-type": "application/json" };
    return this.ask(path, { method, headers, body: JSON.stringify(json), ...(used && { used }) });
  }
}
