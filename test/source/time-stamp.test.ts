/** Time stamps from authorities, and from servers that are none. */
import { afterEach, describe, expect, it, vi } from "vitest";

import { Hasher } from "../../src/image/provenance/hashing.ts";
import { verifyTimeStamp } from "../../src/image/provenance/time-stamp.ts";
import { stamped } from "../../src/source/time-stamp.ts";
import { stampFor } from "../support/time-authority.ts";

const TSA = "https://time.example.com/";
const DATA = new TextEncoder().encode("what is signed");

afterEach(() => vi.restoreAllMocks());

/** Has whoever is asked for the time answer so; the requests are made as the runtime makes them. */
function answering(answer: (request: Uint8Array) => Promise<Response> | Response) {
  return vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    return answer(await request.bytes());
  });
}

/** Bytes as a body of an answer. */
const body = (bytes: Uint8Array) => new Response(bytes as Uint8Array<ArrayBuffer>);

describe("an authority", () => {
  it("stamps the time, and its stamp is about what was sent", async () => {
    answering(async (request) => body(await stampFor(request)));
    const token = await stamped(TSA, DATA);
    expect(token && (await verifyTimeStamp(token, DATA, [], new Hasher(DATA.length)))).toEqual({
      moment: Date.parse("2026-12-01T00:00:00Z"),
      trusted: false,
    });
  });

  it.each<[string, (request: Uint8Array) => Promise<Response> | Response]>([
    ["refuses", () => body(Uint8Array.fromHex("3003020102"))],
    ["sends something else", () => body(Uint8Array.fromHex("3006020100020100"))],
    [
      "stamps something else",
      async (request) => body(await stampFor(request.map((byte, at) => (at >= 24 && at < 56 ? 0 : byte)))),
    ],
    ["sends another one's elsewhere", () => new Response(null, { status: 307, headers: { location: TSA } })],
    ["sends more than any stamp", () => body(new Uint8Array(40_000))],
    ["fails", () => new Response("no", { status: 500 })],
    ["sends nothing", () => new Response(null)],
  ])("that %s stamps nothing, and is asked once", async (_, answer) => {
    const asked = answering(answer);
    expect(await stamped(TSA, DATA)).toBeUndefined();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
