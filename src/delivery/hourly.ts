/**
 * How many finals anonymous clients have made of a delivery: so many an hour, by the account's meter. Where that is
 * reached, this isolate refuses further ones before their originals are asked for.
 */
import { ApiError } from "../errors.ts";
import { DEFAULT_FINALS_PER_HOUR, MAX_CACHED_DELIVERIES } from "../limits/delivery.ts";
import { Recent } from "../recent.ts";
import type { Order } from "./order.ts";

/** Until when anonymous clients have nothing new made, milliseconds since 1970, by delivery. */
const reached = new Recent<number>(MAX_CACHED_DELIVERIES);

/** The finals that anonymous clients may have made within an hour; undefined where the caller is none. */
export function hourlyOf({
  delivery,
  isUnsigned,
}: Order): { readonly name: string; readonly most: number } | undefined {
  if (!isUnsigned || delivery.unsigned === false) return undefined;
  return { name: delivery.id, most: delivery.unsigned.finals_per_hour ?? DEFAULT_FINALS_PER_HOUR };
}

/** Notes that anonymous clients have had as many finals as they may; the error says so. */
export function beyondHour({ delivery }: Order, seconds: number): ApiError {
  reached.set(delivery.id, Date.now() + seconds * 1_000);
  return refusal(seconds);
}

/**
 * @throws ApiError 429 for an anonymous client, as long as this isolate knows that there have been as many finals as
 * there may be
 */
export function refuseAnonymousClient(order: Order): void {
  const left = (reached.get(order.delivery.id) ?? 0) - Date.now();
  if (left > 0 && hourlyOf(order)) throw refusal(Math.ceil(left / 1_000));
}

/** Forgets what was reached, so that a change made in this isolate holds here at once. */
export function forgetHours(): void {
  reached.clear();
}

function refusal(seconds: number): ApiError {
  const message = "Too many new pictures were asked for without a signature within this hour";
  return new ApiError(429, message, { headers: { "Retry-After": String(seconds) }, reason: "strangers" });
}
