/** Multipart bodies with a file and options. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ApiError } from "../../src/errors.ts";
import { MAX_JSON_BYTES } from "../../src/limits.ts";
import { readUpload } from "../../src/source/upload.ts";
import { BOUNDARY, bytesOf, dataPart, filePart, LIMIT, pieces, read, requestOf } from "../support/multipart.ts";
import { refusal } from "../support/refusal.ts";

describe("readUpload", () => {
  it.each(["form-data", "mixed", "related"])("reads file and data of multipart/%s, in either order", async (kind) => {
    const parts = [filePart("JPEG"), dataPart('{"resize":{"width":10}}')];
    for (const ordered of [parts, parts.toReversed()]) {
      const { original, data } = await read(
        bytesOf(ordered),
        `Multipart/${kind}; charset=utf-8; Boundary="${BOUNDARY}"`,
      );
      expect(new TextDecoder().decode(original.bytes)).toBe("JPEG");
      expect(original.name).toBe("cat.jpg");
      expect(data).toEqual({ resize: { width: 10 } });
    }
  });

  it("reads what FormData writes", async () => {
    const form = new FormData();
    form.append("data", '{"flip":{}}');
    form.append("file", new Blob([Uint8Array.of(0, 13, 10, 45, 45)]), 'ein "Bild" ü.png');
    const request = new Request("https://api.example/", { method: "POST", body: form });
    const { original, data } = await readUpload(request, LIMIT);
    expect([...original.bytes]).toEqual([0, 13, 10, 45, 45]);
    expect(original.name).toBe('ein "Bild" ü.png');
    expect(data).toEqual({ flip: {} });
  });

  it.each([[], [dataPart("")], [dataPart(" \r\n")], [dataPart("{}")], [dataPart("\ufeff{}")]])(
    "takes %j as no options",
    async (...parts) => {
      const { data } = await read(bytesOf([filePart("x"), ...parts]));
      expect(data).toEqual({});
    },
  );

  it("passes over a preamble, an epilogue, padding and other parts", async () => {
    const other = { headers: 'Content-Disposition: form-data; name="token"\r\n', content: "abc" };
    const nameless = { headers: "Content-Type: text/plain\r\n", content: "abc" };
    const bare = { headers: "", content: "abc" };
    const body = bytesOf([other, nameless, bare, filePart("x")], BOUNDARY, "-- \r\nepilogue\r\n--x");
    const text = body.toString().replace(`--${BOUNDARY}\r\n`, `preamble\r\n--${BOUNDARY} \t\r\n`);
    expect((await read(Buffer.from(text))).original.bytes).toHaveLength(1);
  });

  it("gives the same whatever the order, the content and the chunks", async () => {
    const hostile = fc.constantFrom(
      "\r",
      "\n",
      "\r\n",
      "\r\n-",
      "\r\n--",
      `\r\n--${BOUNDARY.slice(0, -1)}`,
      `x--${BOUNDARY}`,
      "-",
      "x",
    );
    const content = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.array(hostile, { minLength: 1, maxLength: 20 }).map((words) => new TextEncoder().encode(`x${words.join("")}`)),
    );
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(content, order, fc.array(fc.nat(2_000), { maxLength: 40 }), async (bytes, indexes, cuts) => {
        const parts = [filePart(bytes), dataPart('{"a":"ü"}'), { headers: "X-Other: 1\r\n", content: bytes }];
        const body = bytesOf(indexes.map((index) => parts[index]).filter((part) => part !== undefined));
        const { original, data } = await read(pieces(body, cuts));
        expect([...original.bytes]).toEqual([...bytes]);
        expect(data).toEqual({ a: "ü" });
      }),
    );
  });

  it("finds every boundary wherever one chunk ends and the next begins", async () => {
    const body = bytesOf([dataPart('{"a":1}'), filePart(`\r\n--${BOUNDARY.slice(0, -1)}\r\r\n`)]);
    for (let cut = 0; cut <= body.length; cut++) {
      const { original, data } = await read(pieces(body, [cut, cut + 1]));
      expect(original.bytes).toHaveLength(BOUNDARY.length + 6);
      expect(data).toEqual({ a: 1 });
    }
    const single = await read(pieces(body, [...body.keys()]));
    expect(single.original.bytes).toHaveLength(BOUNDARY.length + 6);
  });

  it("holds a file of announced length in one buffer of nearly its size", async () => {
    const body = bytesOf([filePart(new Uint8Array(90_000))]);
    const request = requestOf(body);
    request.headers.set("content-length", String(body.length));
    const { original } = await readUpload(request, LIMIT);
    expect(original.bytes).toHaveLength(90_000);
    expect(original.bytes.buffer.byteLength).toBeLessThan(90_000 * 1.125);
    const unannounced = await read(pieces(body, [10_000, 70_000, 80_000]));
    expect(unannounced.original.bytes.buffer.byteLength).toBeLessThan(90_000 * 1.125);
  });

  it.each([
    ['name="file"; filename="../../etc/passwd.png"', "passwd.png"],
    [String.raw`name="file"; filename="C:\Users\me\cat.png"`, "cat.png"],
    [String.raw`name="file"; filename="a\"b.png"`, 'a"b.png'],
    ['name="file"; filename=""', ""],
    ['name="file"', ""],
    ['name="file"; filename=".."', ""],
    ["name=file; filename=plain.gif", "plain.gif"],
    ['name="file"; filename="a;b=c.png"', "a;b=c.png"],
    ['name="file"; filename="K%C3%A4se.png"', "K%C3%A4se.png"],
    [`name="file"; filename="x.png"; filename*=UTF-8''K%C3%A4se%2Fbrot%20.png`, "brot .png"],
    ["name=\"file\"; filename*=iso-8859-1'de'K%E4se.png", "Käse.png"],
    [`name="file"; filename*=UTF-8''%FF%FE; filename="fallback.png"`, "fallback.png"],
    ['name="file"; filename="日本語 写真.jpg"', "日本語 写真.jpg"],
    ['name="file"; filename="Ka\u0308se.png"', "Käse.png"],
    ['name="file"; filename="photo\u202egnp.exe\u0000\u0007\u200b.png"', "photognp.exe.png"],
    [`name="file"; filename="${"x".repeat(400)}.jpeg"`, `${"x".repeat(250)}.jpeg`],
    [`name="file"; filename="${"😀".repeat(200)}.jpeg"`, `${"😀".repeat(125)}.jpeg`],
  ])("names the file of %s %j", async (disposition, name) => {
    expect((await read(bytesOf([filePart("x", disposition)]))).original.name).toBe(name);
  });

  it("reads a name that is not UTF-8", async () => {
    const text = bytesOf([filePart("x", 'name="file"; filename="K?se.png"')]);
    text[text.indexOf("?")] = 0xe4;
    expect((await read(text)).original.name).toBe("Käse.png");
  });

  it.each(["application/json", "text/plain", "application/x-www-form-urlencoded", "xmultipart/form-data", ""])(
    "refuses the Content-Type %j with 415",
    async (type) => {
      expect((await refusal(read(bytesOf([filePart("x")]), type))).status).toBe(415);
    },
  );

  it.each([
    ["no boundary", "multipart/form-data", bytesOf([filePart("x")])],
    ["an empty boundary", 'multipart/form-data; boundary=""', bytesOf([filePart("x")])],
    ["an endless boundary", `multipart/form-data; boundary=${"a".repeat(201)}`, bytesOf([filePart("x")])],
    ["another boundary", "multipart/form-data; boundary=other", bytesOf([filePart("x")])],
    ["no body", undefined, null],
    ["an empty body", undefined, new Uint8Array(0)],
    ["no end", undefined, bytesOf([filePart("x")], BOUNDARY, "")],
    ["half an end", undefined, bytesOf([filePart("x")], BOUNDARY, "-")],
    ["text behind a boundary", undefined, bytesOf([filePart("x")], BOUNDARY, "x\r\n\r\n")],
    ["a header without a colon", undefined, bytesOf([{ headers: "nonsense\r\n", content: "x" }])],
    ["headers without an end", undefined, Buffer.from(`--${BOUNDARY}\r\nA: b\r\n`)],
    ["headers of 9 KiB", undefined, bytesOf([{ headers: `A: ${"b".repeat(9_000)}\r\n`, content: "x" }])],
    ["9,000 headers", undefined, bytesOf([{ headers: "A:\r\n".repeat(9_000), content: "x" }])],
    [
      "a transfer encoding",
      undefined,
      bytesOf([{ headers: `${filePart("").headers}Content-Transfer-Encoding: base64\r\n`, content: "eA==" }]),
    ],
    ["data that is not JSON", undefined, bytesOf([filePart("x"), dataPart("{")])],
    ["data that is an array", undefined, bytesOf([filePart("x"), dataPart("[]")])],
    ["data that is null", undefined, bytesOf([filePart("x"), dataPart("null")])],
  ])("refuses %s with 400", async (_, type, body) => {
    expect((await refusal(read(body, type))).status).toBe(400);
  });

  it("refuses data that is nested too deeply with 422", async () => {
    const deep = `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    expect(await refusal(read(bytesOf([filePart("x"), dataPart(deep)])))).toEqual({
      status: 422,
      message: "The data field is nested deeper than 16 levels",
    });
  });

  it("refuses data that is not UTF-8 with 400, and repeats nothing of it", async () => {
    const body = bytesOf([filePart("x"), dataPart('{"secret":"?"}')]);
    body[body.indexOf("?")] = 0xff;
    expect(await refusal(read(body))).toEqual({ status: 400, message: "The data field is not valid JSON" });
  });

  it.each([
    ["no file", [dataPart("{}")], "file is required"],
    ["an empty file", [filePart("")], "file must not be empty"],
    ["two files", [filePart("x"), filePart("y")], "file must be given only once"],
    ["two data parts", [filePart("x"), dataPart("{}"), dataPart("{}")], "data must be given only once"],
  ])("refuses %s with 422", async (_, parts, message) => {
    expect(await refusal(read(bytesOf(parts)))).toEqual({ status: 422, message });
  });

  it("reads a part that ends with the line end of its headers", async () => {
    const body = `--${BOUNDARY}\r\n${filePart("").headers}\r\n--${BOUNDARY}\r\n${dataPart("").headers}\r\n{}\r\n--${BOUNDARY}--`;
    expect((await refusal(read(Buffer.from(body)))).message).toBe("file must not be empty");
  });

  it("takes a file of exactly the limit, and not one byte more", async () => {
    expect((await read(bytesOf([filePart(new Uint8Array(LIMIT))]))).original.bytes).toHaveLength(LIMIT);
    expect(await refusal(read(bytesOf([filePart(new Uint8Array(LIMIT + 1))])))).toEqual({
      status: 413,
      message: `The image exceeds the maximum size of ${LIMIT} bytes`,
    });
  });

  it("refuses data above its own limit with 413", async () => {
    const parts = [filePart("x"), dataPart(`"${"x".repeat(MAX_JSON_BYTES)}"`)];
    expect((await refusal(read(bytesOf(parts)))).message).toBe(
      `data exceeds the maximum size of ${MAX_JSON_BYTES} bytes`,
    );
  });

  it.each([
    ["a part", `--${BOUNDARY}\r\n${filePart("").headers}\r\n`, 413],
    ["an unknown part", `--${BOUNDARY}\r\n\r\n`, 413],
    ["a header", `--${BOUNDARY}\r\n`, 400],
    ["a preamble", "", 413],
    ["an epilogue", bytesOf([filePart("x")]).toString(), 413],
  ])("stops reading %s without end, and leaves the rest to the caller", async (_, start, status) => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(sent === 0 ? Buffer.from(start || "x") : new Uint8Array(10_000).fill(120));
        sent += 10_000;
      },
    });
    expect((await refusal(read(endless))).status).toBe(status);
    expect(endless.locked).toBe(false);
    expect(sent).toBeLessThan(LIMIT + MAX_JSON_BYTES + 200_000);
  });

  it("refuses a body that announces too much before it reads it", async () => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 });
    const request = requestOf(body);
    request.headers.set("content-length", "999999999");
    expect((await refusal(readUpload(request, LIMIT))).status).toBe(413);
    expect(pulls).toBe(0);
  });

  it("reports a body that breaks off", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytesOf([filePart("x")]).slice(0, 60));
        controller.error(new Error("connection lost"));
      },
    });
    expect((await refusal(read(body))).status).toBe(400);
  });

  it("answers any bytes with an upload or a refusal", async () => {
    const words = fc.constantFrom(
      `--${BOUNDARY}`,
      "\r\n",
      "--",
      "\r\n\r\n",
      filePart("").headers,
      dataPart("").headers,
      "{}",
      "x",
      ":",
      ";",
      '"',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { maxLength: 30 }),
        fc.array(fc.nat(500), { maxLength: 10 }),
        async (text, cuts) => {
          const outcome = await read(pieces(Buffer.from(text.join("")), cuts)).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ApiError);
        },
      ),
    );
  });
});
