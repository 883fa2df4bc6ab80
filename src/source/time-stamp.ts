/** Time stamps from authorities that callers name (RFC 3161, 3.4): public hosts alone, by their names, no redirects, a deadline, a byte cap. */
import { addressProblem } from "../address.ts";
import type { Settings } from "../env.ts";
import { Hasher } from "../image/provenance/hashing.ts";
import { tokenOf, verifyTimeStamp } from "../image/provenance/time-stamp.ts";
import { joined } from "../joined.ts";
import { causesOf, logLine } from "../log.ts";
import { readUpTo } from "../read-up-to.ts";

const STAMP_MS = 5_000;
const MAX_STAMP_BYTES = 32 << 10;
/** A request (RFC 3161, 2.4.1): version, SHA-256, then the hash, then: with certificates. */
const REQUEST_HEAD = Uint8Array.fromHex("30390201013031300d060960864801650304020105000420");
const REQUEST_TAIL = Uint8Array.fromHex("0101ff");

/** Whether an authority at this address may be asked. */
export function mayStamp({ allowPrivateOrigins }: Settings, tsa: string): boolean {
  const url = URL.parse(tsa);
  return url !== null && (allowPrivateOrigins || addressProblem(url.hostname) === undefined);
}

/**
 * A time stamp about the data; undefined where none comes in time: a result is as good without one.
 * @param tsa an address that may be asked
 */
export async function stamped(tsa: string, data: Uint8Array): Promise<Uint8Array | undefined> {
  const hasher = new Hasher(data.length);
  const hash = hasher.hash("sha256", [data]);
  if (!hash) return undefined;
  try {
    const response = await fetch(tsa, {
      method: "POST",
      headers: { "content-type": "application/timestamp-query" },
      body: joined([REQUEST_HEAD, hash, REQUEST_TAIL]),
      // The runtime has no way to refuse redirects but not to follow them: the status says that it is one.
      redirect: "manual",
      signal: AbortSignal.timeout(STAMP_MS),
    });
    const answer = await bounded(response);
    const token = answer && tokenOf(answer);
    // A token about something else would make the whole manifest invalid.
    return token && (await verifyTimeStamp(token, data, [], hasher)) ? token : undefined;
  } catch (error) {
    logLine("warning", { event: "no time stamp", causes: causesOf(error) });
    return undefined;
  }
}

/** The body of a success; undefined for others, and where it is longer than any time stamp. */
async function bounded(response: Response): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  const isWhole = await readUpTo(response, response.ok ? MAX_STAMP_BYTES : 0, (piece) => void pieces.push(piece));
  return response.ok && isWhole ? joined(pieces) : undefined;
}
