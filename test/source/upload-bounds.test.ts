/** What an upload may hold, and the memory that is set aside for it. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../src/errors.ts";
import { MAX_JSON_BYTES } from "../../src/limits.ts";
import { readUpload } from "../../src/source/upload.ts";
import { roomy } from "../support/memory.ts";
import { BOUNDARY, bytesOf, dataPart, filePart, LIMIT, type Part, read, requestOf } from "../support/multipart.ts";
import { refusal } from "../support/refusal.ts";

describe("the bounds of an upload", () => {
  it("takes 16 parts, and refuses one more with 400", async () => {
    const other = { headers: 'Content-Disposition: form-data; name="token"\r\n', content: "abc" };
    const parts = [...Array<Part>(15).fill(other), filePart("x")];
    expect((await read(bytesOf(parts))).original.bytes).toHaveLength(1);
    expect(await refusal(read(bytesOf([other, ...parts])))).toEqual({
      status: 400,
      message: "The multipart body is broken: it has more than 16 parts",
    });
  });

  it("refuses 4 MiB of empty parts after a few of them", async () => {
    const type = "multipart/form-data; boundary=b";
    const body = Buffer.from("--b\r\n\r\n\r\n".repeat((4 * 1024 * 1024) / 11));
    expect((await refusal(read(body, type))).status).toBe(400);
  });

  it.each([
    ["in another part", (extra: string) => bytesOf([{ headers: "A: b\r\n", content: extra }, filePart("x")])],
    [
      "before the first boundary",
      (extra: string) => Buffer.concat([Buffer.from(`${extra}\r\n`), bytesOf([filePart("x")])]),
    ],
    ["behind the last boundary", (extra: string) => bytesOf([filePart("x")], BOUNDARY, `--\r\n${extra}`)],
    [
      "in headers",
      (extra: string) =>
        bytesOf([
          ...Array.from({ length: 13 }, (_, index) => ({
            headers: `A: ${extra.slice(index * 6_000, (index + 1) * 6_000)}\r\n`,
            content: "",
          })),
          filePart("x"),
        ]),
    ],
  ])("takes 60 KiB %s, and refuses 70 with 413", async (_, bodyOf) => {
    expect((await read(bodyOf("x".repeat(60 * 1024)))).original.bytes).toHaveLength(1);
    expect(await refusal(read(bodyOf("x".repeat(70 * 1024))))).toEqual({
      status: 413,
      message: "The request has more than 65536 bytes besides file and data",
    });
  });

  it.each([
    ["what is announced", "90500", 90_500],
    ["the most allowed", undefined, LIMIT + MAX_JSON_BYTES],
  ])("sets room aside for %s before it reads a byte, and keeps that of the file", async (_, announced, expected) => {
    const memory = roomy();
    const heldAtPulls: number[] = [];
    const whole = bytesOf([filePart(new Uint8Array(90_000))]);
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          heldAtPulls.push(memory.held());
          if (heldAtPulls.length === 1) controller.enqueue(whole);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const request = requestOf(body);
    if (announced !== undefined) request.headers.set("content-length", announced);
    const { original } = await readUpload(request, LIMIT, { memory });
    expect(heldAtPulls[0]).toBe(expected);
    expect(memory.held()).toBe(original.bytes.buffer.byteLength);
    original.memory.release();
    expect(memory.held()).toBe(0);
  });

  it("reads nothing where there is no room", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 });
    const take = () => Promise.reject(new ApiError(503, "No capacity"));
    expect((await refusal(readUpload(requestOf(body), LIMIT, { memory: { take } }))).status).toBe(503);
    expect([pulls, body.locked]).toEqual([0, false]);
  });

  it.each([
    ["breaks off", Buffer.from(`--${BOUNDARY}\r\n`)],
    ["has no file", bytesOf([dataPart("{}")])],
    ["is too large", bytesOf([filePart(new Uint8Array(LIMIT + 1))])],
  ])("gives all room back when the body %s", async (_, body) => {
    const memory = roomy();
    await refusal(readUpload(requestOf(body), LIMIT, { memory }));
    expect(memory.held()).toBe(0);
  });
});
