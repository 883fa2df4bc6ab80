/** What a request gets of an answer that is there as a whole: RFC 9110, sections 13 and 14. */
import { describe, expect, it } from "vitest";

import { answerTo } from "../../src/http/conditional.ts";

const TEXT = "0123456789";
const ETAG = '"one"';
const THEN = "Sun, 22 Nov 2026 10:00:00 GMT";
const BEFORE = "Sun, 22 Nov 2026 09:59:59 GMT";
const LATER = "Sun, 22 Nov 2026 10:00:01 GMT";

/** The answer in pieces of three bytes, as streams come. */
function whole(): Response {
  const pieces = (TEXT.match(/.{1,3}/g) ?? []).map((piece) => new TextEncoder().encode(piece));
  const body = new ReadableStream({
    pull: (controller) => {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  const headers = { etag: ETAG, "last-modified": THEN, "content-length": "10", "content-type": "image/jpeg" };
  return new Response(body, { headers });
}

async function asked(headers: Record<string, string>, method = "GET") {
  try {
    const { status, headers: said, body } = answerTo(new Request("https://a.test/", { method, headers }), whole());
    const text = body === null ? "" : await new Response(body).text();
    return { status, text, range: said.get("content-range"), length: said.get("content-length"), said };
  } catch (error) {
    const { status, headers: said } = error as { status: number; headers: Record<string, string> };
    return { status, text: "", range: said["Content-Range"] ?? null, length: null, said: new Headers(said) };
  }
}

describe("a part", () => {
  it.each([
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=2-6", "23456", "bytes 2-6/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-4", "6789", "bytes 6-9/10"],
    ["bytes=-99", TEXT, "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["BYTES=3-3", "3", "bytes 3-3/10"],
  ])("%s is %s", async (range, text, said) => {
    expect(await asked({ range })).toMatchObject({ status: 206, text, range: said, length: String(text.length) });
  });

  it.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("%s is none: 416", async (range) => {
    expect(await asked({ range })).toMatchObject({ status: 416, range: "bytes */10", text: "" });
  });

  it.each(["bytes=", "bytes=-", "bytes=6-2", "lines=1-2", "bytes=0-1,4-5", "bytes=a-b", "0-1"])(
    "%s is not understood, or not sent: the whole is",
    async (range) => {
      expect(await asked({ range })).toMatchObject({ status: 200, text: TEXT, range: null, length: "10" });
    },
  );

  it.each([
    [ETAG, 206],
    [THEN, 206],
    ['"two"', 200],
    [`W/${ETAG}`, 200],
    [BEFORE, 200],
    [LATER, 200],
  ])("continues only what it is a part of: If-Range %s", async (condition, status) => {
    expect((await asked({ range: "bytes=1-2", "if-range": condition })).status).toBe(status);
  });

  it("is nothing for HEAD", async () => {
    const head = await asked({ range: "bytes=1-2" }, "HEAD");
    expect(head).toMatchObject({ status: 200, text: "", length: "10", range: null });
    expect(head.said.get("accept-ranges")).toBe("bytes");
  });
});

describe("a condition", () => {
  it.each([
    [{ "if-none-match": ETAG }, 304],
    [{ "if-none-match": `W/${ETAG}` }, 304],
    [{ "if-none-match": `"x", ${ETAG}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"x"' }, 200],
    [{ "if-modified-since": THEN }, 304],
    [{ "if-modified-since": LATER }, 304],
    [{ "if-modified-since": BEFORE }, 200],
    [{ "if-modified-since": "yesterday" }, 200],
    // Tags count before dates.
    [{ "if-none-match": '"x"', "if-modified-since": LATER }, 200],
    [{ "if-none-match": ETAG, "if-modified-since": BEFORE }, 304],
    [{ "if-match": ETAG }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": '"x"' }, 412],
    [{ "if-match": `W/${ETAG}` }, 412],
    [{ "if-unmodified-since": THEN }, 200],
    [{ "if-unmodified-since": BEFORE }, 412],
    [{ "if-match": ETAG, "if-unmodified-since": BEFORE }, 200],
    [{ range: "bytes=99-", "if-none-match": ETAG }, 304],
  ])("%j is %i", async (headers, status) => {
    const got = await asked(headers as Record<string, string>);
    expect(got.status).toBe(status);
    if (status === 304) {
      expect([got.text, got.length, got.said.get("content-type"), got.said.get("etag")]).toEqual([
        "",
        null,
        null,
        ETAG,
      ]);
    }
  });
});

it("does not read on after the part", async () => {
  let pulled = 0;
  let isCanceled = false;
  const body = new ReadableStream({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(10));
    },
    cancel: () => void (isCanceled = true),
  });
  const answer = new Response(body, { headers: { "content-length": "100000" } });
  const part = answerTo(new Request("https://a.test/", { headers: { range: "bytes=15-24" } }), answer);
  expect((await part.arrayBuffer()).byteLength).toBe(10);
  expect(isCanceled).toBe(true);
  expect(pulled).toBeLessThan(6);
});
