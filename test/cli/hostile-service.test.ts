/** The command against a service in wrong hands: nothing is written, called or shown that a result is not. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { bytesOf } from "../../src/cli/batch/answered.ts";
import { failureText } from "../../src/cli/batch/bucket/report.ts";
import { createClient } from "../../src/cli/batch/client.ts";
import { findOriginals } from "../../src/cli/batch/files.ts";
import { type Options, readOptions } from "../../src/cli/batch/options.ts";
import { textOf } from "../../src/cli/batch/provenance.ts";
import { runAll } from "../../src/cli/batch/run.ts";
import { summary, waitText } from "../../src/cli/batch/screen.ts";
import { type Listening, listening } from "../support/listening.ts";

const RESULT = "<?php what the service has sent";
const LOOKS = { format: "WEBP", width: 40, height: 30 };

let folder: string;
let service: Listening;
let url: URL;
let serve: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-"));
  await writeFile(join(folder, "a.jpg"), "an original");
  service = await listening((request, response) => {
    request.resume();
    request.once("end", () => serve(request, response));
  });
  ({ url } = service);
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(...args: string[]) {
  const read = readOptions(["--key", "k", ...args, join(folder, "a.jpg")], {}) as Options;
  const client = createClient({ url, key: "k", sleep: async () => undefined });
  const originals = await findOriginals(read.paths);
  return runAll(originals, { ...read, url }, client, new AbortController().signal, () => undefined);
}

/** Answers every request with a result of this name. */
function named(name: unknown) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    const output = { name, bytes: RESULT.length, ...LOOKS };
    response.setHeader("x-service-metadata", JSON.stringify({ success: true, code: 200, output }));
    response.end(RESULT);
  };
}

describe("a result", () => {
  it.each([
    ".htaccess",
    "index.php",
    ".envrc",
    "Makefile",
    "..",
    ".",
    "",
    ".webp",
    "../x.webp\u0000",
    "a\u001b.webp",
    5,
    null,
  ])("that is named %j is not written", async (name) => {
    serve = named(name);
    expect(await run("--out", join(folder, "out"))).toMatchObject([{ kind: "failed" }]);
    expect(await run("--overwrite")).toMatchObject([{ kind: "failed" }]);
    expect(await readdir(folder)).toEqual(["a.jpg"]);
  });

  it("replaces no file that is not named after its original, though results may be replaced", async () => {
    await writeFile(join(folder, "b.jpg"), "another original");
    serve = named("b.jpg");
    expect(await run("--overwrite")).toMatchObject([
      { kind: "failed", reason: expect.stringContaining("b.jpg exists") },
    ]);
    expect(await readFile(join(folder, "b.jpg"), "utf8")).toBe("another original");
    serve = named("a.webp");
    await writeFile(join(folder, "a.webp"), "an earlier result");
    expect(await run("--overwrite")).toMatchObject([{ kind: "written" }]);
    expect(await readFile(join(folder, "a.webp"), "utf8")).toBe(RESULT);
  });

  it("of a set is written beside an element of pictures alone", async () => {
    const outputs = { "320.webp": { name: "a-320.webp", url: `${url.href}temp/1`, ...LOOKS } };
    const sent = (html: string) => (request: IncomingMessage, response: ServerResponse) =>
      void response.end(
        request.url === "/temp/1" ? RESULT : JSON.stringify({ success: true, code: 200, outputs, html }),
      );
    const set = ["--srcset", "320", "--formats", "webp"];
    for (const html of [
      "<script>alert(1)</script>",
      '<picture><img src="a" onerror="alert(1)"></picture>',
      '<picture><img src="a"/onerror=alert(1)></picture>',
      '<a href="javascript:alert(1)">x</a>',
      'text <img src="a">',
    ]) {
      serve = sent(html);
      expect(await run(...set)).toMatchObject([{ kind: "failed" }]);
      expect(await readdir(folder)).toEqual(["a.jpg"]);
    }
    serve = sent(
      `<picture>\n  <source type="image/webp" srcset="${url.href}temp/1 320w">\n  <img src="x" alt="" /></picture>`,
    );
    expect(await run(...set)).toMatchObject([{ kind: "written" }]);
    expect((await readdir(folder)).sort()).toEqual(["a-320.webp", "a.html", "a.jpg"]);
  });
});

describe("an answer", () => {
  it("does not send the file elsewhere", async () => {
    const asked: (string | undefined)[] = [];
    serve = (request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    };
    expect(await run("--format", "webp")).toMatchObject([{ kind: "failed", error: { status: 307 } }]);
    expect(asked).toEqual(["/1.0/upload"]);
  });

  it("ends where it has more bytes than any has", async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(1_000)) });
    await expect(bytesOf(new Response(endless), 10_000)).rejects.toThrow("more than 10000 bytes");
    expect(await bytesOf(new Response("few"), 10_000)).toEqual(Buffer.from("few"));
  });

  it("says nothing that a terminal obeys", async () => {
    const orders = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b2K\r\u202e";
    serve = (_, response) =>
      void response.writeHead(422).end(JSON.stringify({ success: false, code: 422, message: `no${orders}thing` }));
    const outcomes = await run("--format", "webp");
    const lines = [
      summary(outcomes),
      waitText(1, `no${orders}thing`),
      failureText({ key: `k${orders}`, error: "e", reason: orders, at: "" }),
      textOf("a.jpg", { state: "invalid", failures: [`no${orders}thing`], manifests: [] } as never),
    ];
    expect(lines[0]).toContain("no]52;c;aGk=[2J2Kthing");
    // oxlint-disable-next-line no-control-regex -- finding control characters is the point
    for (const line of lines) expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
