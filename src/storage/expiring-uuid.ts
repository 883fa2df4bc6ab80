/**
 * UUIDs that carry a time without showing it.
 *
 * A random UUID of version 4 (RFC 9562 section 5.4) whose first 32 bits are the time, exclusive-or its last 32 bits.
 * Those are random, so the first look random too; the other 90 random bits are independent, which is what somebody who
 * guesses has to meet.
 */

/** @param seconds since 1970, below 2^32 */
export function uuidWith(seconds: number): string {
  const uuid = crypto.randomUUID();
  return digits(seconds ^ tailOf(uuid)) + uuid.slice(8);
}

/** The time in a UUID, in seconds since 1970; of a UUID that carries none, any time. */
export function expiryIn(uuid: string): number {
  return (Number.parseInt(uuid.slice(0, 8), 16) ^ tailOf(uuid)) >>> 0;
}

function tailOf(uuid: string): number {
  return Number.parseInt(uuid.slice(-8), 16);
}

function digits(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
