/** `reuse` of a fetch: the origin is asked whether its picture has changed, and the bytes speak for themselves. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { jobs, begin, upload, fetchImage, used, meters } from "../support/reuse.ts";

afterEach(() => void vi.restoreAllMocks());
beforeEach(begin);

describe("a fetch with reuse", () => {
  /** An origin with one picture; what it was asked is noted. */
  function originOf(picture: { bytes: string; etag?: string; modified?: string }) {
    const asked: (string | null)[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const headers = new Headers(init?.headers);
      const condition = headers.get("if-none-match") ?? headers.get("if-modified-since");
      asked.push(condition);
      if (condition !== null && condition === (picture.etag ?? picture.modified)) {
        return new Response(null, { status: 304 });
      }
      const said = {
        ...(picture.etag && { etag: picture.etag }),
        ...(picture.modified && { "last-modified": picture.modified }),
      };
      return new Response(picture.bytes, { headers: said });
    });
    return { asked, picture };
  }

  it.each([{ etag: '"one"' }, { modified: "Fri, 20 Nov 2026 12:00:00 GMT" }])(
    "asks the origin whether the picture has changed by %j",
    async (said) => {
      const { asked } = originOf({ bytes: "picture", ...said });
      await fetchImage();
      const again = await fetchImage();
      expect(asked).toEqual([null, ...Object.values(said)]);
      expect(again.body.output.reused).toBe(true);
      expect(jobs).toHaveLength(1);
      expect(await used()).toBe(1);
    },
  );

  it("compares the bytes where the origin says nothing, or something else of the same ones", async () => {
    const { picture } = originOf({ bytes: "picture" });
    await fetchImage();
    expect((await fetchImage()).body.output.reused).toBe(true);
    picture.etag = '"one"';
    expect((await fetchImage()).body.output.reused).toBe(true);
    picture.bytes = "another";
    picture.etag = '"two"';
    expect((await fetchImage()).body.output).not.toHaveProperty("reused");
    expect((await fetchImage()).body.output.reused).toBe(true);
    expect(jobs).toHaveLength(2);
  });

  it("leaves its result to an upload of the same bytes", async () => {
    originOf({ bytes: "picture" });
    const { body } = await fetchImage({ resize: { width: 5 } });
    const { output } = (await upload({ resize: { width: 5 } })).body;
    expect(output).toEqual({ ...body.output, reused: true });
    expect((await upload({ resize: { width: 6 } })).body.output).not.toHaveProperty("reused");
    expect(jobs).toHaveLength(2);
  });

  it("finds that of an upload of the same bytes, or of another address, by one more question", async () => {
    originOf({ bytes: "picture" });
    const { body } = await upload({ resize: { width: 5 } });
    const { METER, asked } = meters();
    const fetched = await fetchImage({ resize: { width: 5 } }, { env: { METER } });
    expect(fetched.body.output).toEqual({ ...body.output, reused: true });
    expect(asked).toEqual(["take", "recall", "recall", "release"]);
    const other = await fetchImage({ resize: { width: 5 }, url: "https://images.test/b.png" });
    expect(other.body).toMatchObject({ input: { name: "b.png" }, output: { ...body.output, reused: true } });
    // The claim on its address ended with the first: waiting for it would take longer than a test may.
    expect((await fetchImage({ resize: { width: 5 } })).body.output.reused).toBe(true);
    expect([jobs.length, await used()]).toEqual([1, 1]);
  });

  it("asks anew with other headers, and leaves a caller's own conditions alone", async () => {
    const { asked, picture } = originOf({ bytes: "picture", etag: '"one"' });
    await fetchImage();
    picture.bytes = "that of somebody else";
    await fetchImage({ headers: { cookie: "a=b" } });
    expect(asked).toEqual([null, null]);
    expect(jobs).toHaveLength(2);
    const own = { headers: { "if-none-match": '"one"' } };
    expect((await fetchImage(own)).body.message).toContain("304");
    expect(asked.at(-1)).toBe('"one"');
  });
});
