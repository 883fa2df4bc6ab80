/** One POST to a customer's endpoint: its own short rules, never the general fetch of origins. */
import { basicCredentials } from "../header.ts";
import { DELIVERY_TIMEOUT_MS } from "../limits/webhook.ts";
import type { Attempt } from "./record.ts";
import { signatureHeaders } from "./sign.ts";

export interface Notification {
  readonly id: string;
  /** May carry `user:password@`, which becomes Basic credentials. */
  readonly url: string;
  /** The exact text to send. */
  readonly body: string;
  readonly secrets: readonly string[];
}

export interface Delivery {
  readonly userAgent: string;
  /** Whether the address may be called: a record outlives the moment at which it was judged first. */
  readonly isAllowed: (url: URL) => boolean;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How a notification leaves. */
export function callEndpoint(request: Request): Promise<Response> {
  return fetch(request);
}

/**
 * One attempt. Never throws: an endpoint that cannot be reached, is refused, or has not sent its status and headers
 * within DELIVERY_TIMEOUT_MS, gives the code 0. Redirects are not followed, and the body of the answer is not read.
 */
export async function deliver(notification: Notification, delivery: Delivery): Promise<Attempt> {
  const at = delivery.now();
  const code = await post(notification, delivery, at).catch(() => 0);
  return { at, code, durationMs: delivery.now() - at };
}

async function post(notification: Notification, delivery: Delivery, at: number): Promise<number> {
  const url = new URL(notification.url);
  if (!delivery.isAllowed(url)) return 0;
  const headers = new Headers({
    "content-type": "application/json",
    "user-agent": delivery.userAgent,
    ...(await signatureHeaders(notification.id, Math.floor(at / 1_000), notification.body, notification.secrets)),
  });
  if (url.username !== "" || url.password !== "") headers.set("authorization", basicCredentials(url));
  url.username = "";
  url.password = "";
  const request = { method: "POST", headers, body: notification.body, redirect: "manual" } as const;
  const answer = await withinDeadline((signal) => delivery.fetch(new Request(url, { ...request, signal })));
  // What a receiver says beside its status is nobody's business, and may have no end.
  void answer.body?.cancel().catch(() => undefined);
  return answer.status;
}

/** A timer of its own, since one that outlives the answer would keep the courier awake, which is paid for. */
async function withinDeadline<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), DELIVERY_TIMEOUT_MS);
  try {
    return await call(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
