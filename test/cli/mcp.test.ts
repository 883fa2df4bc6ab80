/** `darkroom mcp` by the protocol's own client: the service's protocol code answers, with stand-ins for its routes. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createClient } from "../../src/cli/batch/client.ts";
import { serveAgents } from "../../src/cli/batch/mcp.ts";
import { resultOf } from "../../src/http/mcp/methods.ts";
import { isEnveloped, readMessage } from "../../src/http/mcp/protocol.ts";
import { MAX_SOURCE_BYTES } from "../../src/limits.ts";
import { type Listening, listening } from "../support/listening.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const COMMAND = join(ROOT, "src", "cli", "darkroom.js");
const FACES = [{ x: 10, y: 20, width: 30, height: 40 }];

let folder: string;
let service: Listening;
let url: string;
let sent: Record<string, unknown>[];
let keys: (string | undefined)[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-"));
  await mkdir(join(folder, "pictures"));
  await cp(join(ROOT, "src", "playground", "sample.jpg"), join(folder, "pictures", "photo.jpg"));
  await writeFile(join(folder, "secret.jpg"), "not for agents");
  sent = [];
  keys = [];
  service = await listening((request, response) => void serve(request, response));
  url = service.url.origin;
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = new Uint8Array(await buffer(request));
  keys.push(request.headers.authorization);
  if (request.url === "/1.0/upload") return upload(request, response, bytes);
  const message = readMessage(bytes);
  const header = (name: string) => request.headers[name.toLowerCase()] as string | undefined;
  const enveloped = isEnveloped(message, header);
  if (message.id === undefined) return void response.writeHead(202).end();
  const routes = {
    call: async () => ({ success: true, id: "by-url", input: {}, output: { url: "https://x.example/a" } }),
    read: async () => undefined,
  };
  const result = await resultOf(message, enveloped, routes);
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
}

async function upload(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(bytes, { headers }).formData();
  const data = JSON.parse(form.get("data") as string) as Record<string, unknown>;
  sent.push({ name: (form.get("file") as File).name, ...data });
  const facts = {
    success: true,
    code: 200,
    id: "by-file",
    input: { name: "photo.jpg", format: "JPEG", width: 1280, height: 800, bytes: 9 },
    output: { name: "photo.webp", format: "WEBP", width: 640, height: 400, bytes: 5, saved: 4 },
    ...("analyze" in data && { analysis: { faces: FACES } }),
  };
  response.writeHead(200, { "content-type": "image/webp", "x-service-metadata": JSON.stringify(facts) }).end("bytes");
}

async function connected(mode: "auto" | "legacy" = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const args = [COMMAND, "mcp", "--url", url, "--key", "k", join(folder, "pictures")];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string; readonly data?: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result;
}

describe.each(["auto", "legacy"] as const)("the protocol's own client, with versions %s", (mode) => {
  it("finds the tools of the service, which take files, too", async () => {
    const client = await connected(mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["optimize_image", "describe_image", "account_usage"]);
    expect(tools.map(({ inputSchema }) => Object.hasOwn(inputSchema.properties ?? {}, "path"))).toEqual([
      true,
      true,
      false,
    ]);
    expect(tools[0]?.inputSchema.required).toEqual([]);
    const { structuredContent } = await call(client, "optimize_image", { url: "https://a.example/b.jpg" });
    expect(structuredContent).toMatchObject({ id: "by-url" });
    expect(new Set(keys)).toEqual(new Set(["Bearer k"]));
    await client.close();
  });

  it("has a file made smaller, beside it or as it is named, and shown", async () => {
    const client = await connected(mode);
    const path = join(folder, "pictures", "photo.jpg");
    const { structuredContent, isError, content } = await call(client, "optimize_image", {
      path,
      resize: { width: 640 },
      show: true,
    });
    expect(isError, content[0]?.text).toBeUndefined();
    const file = join(folder, "pictures", "photo-optimized.webp");
    expect(structuredContent).toMatchObject({ id: "by-file", output: { width: 640 }, file });
    expect(await readFile(file, "utf8")).toBe("bytes");
    expect(content[1]).toEqual({ type: "image", data: btoa("bytes"), mimeType: "image/webp" });
    expect(sent).toEqual([{ name: "photo.jpg", resize: { width: 640 }, response: { mode: "binary" } }]);
    const named = join(folder, "pictures", "hero.webp");
    expect((await call(client, "optimize_image", { path, save_as: named })).structuredContent).toMatchObject({
      file: named,
    });
    await client.close();
  });

  it("describes a file in its own pixels", async () => {
    const client = await connected(mode);
    const { structuredContent } = await call(client, "describe_image", { path: join(folder, "pictures", "photo.jpg") });
    expect(structuredContent).toMatchObject({
      image: { name: "photo.jpg", width: 1280 },
      analysis: { faces: [{ x: 20, y: 40, width: 60, height: 80 }] },
      preview: { width: 640, height: 400 },
    });
    await client.close();
  });
});

it("reads and writes nothing outside its folders, and replaces nothing", async () => {
  const client = await connected();
  const pictures = join(folder, "pictures");
  const path = join(pictures, "photo.jpg");
  await symlink(join(folder, "secret.jpg"), join(pictures, "link.jpg"));
  await symlink(folder, join(pictures, "out"));
  await mkdir(join(pictures, "folder.jpg"));
  const words = async (args: Record<string, unknown>) => {
    const { isError, content } = await call(client, "optimize_image", args);
    return isError === true ? content[0]?.text : "done";
  };
  const outside = "The file is outside the folders that this server was started with";
  expect(await words({ path: join(folder, "secret.jpg") })).toBe(outside);
  expect(await words({ path: join(pictures, "..", "secret.jpg") })).toBe(outside);
  expect(await words({ path: join(pictures, "link.jpg") })).toBe(outside);
  expect(await words({ path: join(pictures, "nothing.jpg") })).toBe("There is no file at path");
  expect(await words({ path: join(pictures, "folder.jpg") })).toBe("path must be a file");
  await writeFile(join(pictures, "large.jpg"), "");
  await truncate(join(pictures, "large.jpg"), MAX_SOURCE_BYTES + 1);
  expect(await words({ path: join(pictures, "large.jpg") })).toBe(`The file has more than ${MAX_SOURCE_BYTES} bytes`);
  expect(await words({ path, save_as: join(pictures, "a\0.webp") })).toBe("save_as must be the name of a file");
  const target = "save_as is outside the folders that this server was started with";
  expect(await words({ path, save_as: join(folder, "x.webp") })).toBe(target);
  expect(await words({ path, save_as: join(pictures, "out", "x.webp") })).toBe(target);
  expect(await words({ path, save_as: path })).toBe("photo.jpg exists: name another file with save_as");
  expect(await words({ path, url: "https://a.example/b.jpg" })).toBe("url and path cannot both be given");
  expect(await words({ path, store: {} })).toBe("store is not a known parameter");
  expect(sent).toEqual([]);
  await client.close();
});

/** What is said to an input, message by message. */
async function said(...input: readonly string[]): Promise<unknown[]> {
  const client = createClient({ url: new URL(url), key: "k" });
  const output = new PassThrough();
  const desk = { url: new URL(url), key: "k", client, folders: [folder] };
  await serveAgents(desk, Readable.from(input), output, new AbortController().signal);
  output.end();
  const lines = (await text(output)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as unknown);
}

it.each([
  ["{", -32_700],
  ["null", -32_600],
  ["[]", -32_600],
])("answers a line like %s with %i", async (line, code) => {
  expect(await said(`${line}\n`)).toMatchObject([{ jsonrpc: "2.0", id: null, error: { code } }]);
});

it("keeps nothing of a line that is longer than a message may be, and answers the others, in whatever pieces", async () => {
  const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });
  const long = Array.from({ length: 30 }, () => "x".repeat(10_000));
  const answers = await said(list.slice(0, 9), `${list.slice(9)}\n\r\n`, ...long, `x\n${list}`);
  const tooLong = { id: null, error: { code: -32_600, message: "A message has at most 262144 characters" } };
  expect(answers).toHaveLength(3);
  expect(answers).toEqual(expect.arrayContaining([expect.objectContaining(tooLong)]));
  expect(answers.filter((answer) => (answer as { id: unknown }).id === 7)).toHaveLength(2);
});

it("says in the protocol's words that the service is not there, and goes on", async () => {
  const client = await connected("legacy");
  await service.close();
  await expect(client.listTools()).rejects.toThrow(`The service at ${url} cannot be reached`);
  const path = join(folder, "pictures", "photo.jpg");
  await expect(call(client, "optimize_image", { path })).rejects.toThrow("cannot be reached");
  await client.close();
});
