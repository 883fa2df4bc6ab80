/** The API document, by what generators of clients make of it with their default settings. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ownTools } from "../support/own-tools.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");

/** A program as users write it: it compiles only where the document says what may be left out, and what answers are. */
const PROGRAM = `import createClient from "openapi-fetch";

import { fetchImage as heyFetch, uploadImage as heyUpload } from "./hey";
import { fetchImage as orvalFetch, uploadImage as orvalUpload } from "./orval/client";
import type { paths, webhooks } from "./types";

const request = { url: "https://www.example.com/a.jpg", resize: { width: 300 }, output: { format: "webp" } } as const;

type Notification = webhooks["notification"]["post"]["requestBody"]["content"]["application/json"];

export function widthOf(told: Notification): number | undefined {
  return "output" in told ? told.output.width : undefined;
}

export async function typed(baseUrl: string): Promise<number> {
  const { data, error } = await createClient<paths>({ baseUrl }).POST("/1.0/fetch", { body: request });
  if (!data) throw new Error(error.message);
  if (!("output" in data)) throw new Error("One result was asked for");
  return data.output.width;
}

export async function hey(baseUrl: string, file: Blob): Promise<number[]> {
  const widths: number[] = [];
  const byUrl = await heyFetch({ baseUrl, body: request });
  const byFile = await heyUpload({ baseUrl, body: { file, data: { resize: { width: 300 } } } });
  for (const { data, error } of [byUrl, byFile]) {
    if (!data) throw new Error(error.message);
    if ("output" in data) widths.push(data.output.width);
  }
  return widths;
}

export async function orval(baseURL: string, file: Blob): Promise<number[]> {
  const widths: number[] = [];
  const byUrl = await orvalFetch(request, { baseURL });
  const byFile = await orvalUpload({ file, data: { resize: { width: 300 } } }, undefined, { baseURL });
  for (const { data } of [byUrl, byFile]) if ("output" in data) widths.push(data.output.width);
  return widths;
}
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
  },
  files: ["program.ts"],
};

interface Program {
  readonly typed: (address: string) => Promise<number>;
  readonly hey: (address: string, file: Blob) => Promise<number[]>;
  readonly orval: (address: string, file: Blob) => Promise<number[]>;
}

let folder = "";
let server: Server;
let address = "";
/** What the generated clients sent. */
let sent: Request[] = [];

beforeAll(async () => {
  const tools = await ownTools(import.meta.dirname);
  folder = await mkdtemp(join(ROOT, ".wrangler", "generated-"));
  await symlink(join(tools, "node_modules"), join(folder, "node_modules"));
  await cp(join(ROOT, "src", "http", "openapi.json"), join(folder, "openapi.json"));
  await writeFile(join(folder, "program.ts"), PROGRAM);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  server = createServer((message, reply) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const headers = { "content-type": message.headers["content-type"] ?? "" };
      sent.push(new Request(`http://x${message.url}`, { method: "POST", headers, body: Buffer.concat(chunks) }));
      reply.setHeader("content-type", "application/json").end('{"success":true,"output":{"width":300}}');
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs one of the generators, or the compiler, on the folder. */
const tool = (name: string, ...args: string[]) =>
  run(join(folder, "node_modules", ".bin", name), args, { cwd: folder });

it("makes clients whose types fit programs", async () => {
  await tool("openapi-typescript", "openapi.json", "--output", "types.d.ts");
  await tool("openapi-ts", "--input", "openapi.json", "--output", "hey");
  await tool("orval", "--input", "openapi.json", "--output", "orval/client.ts");
  const compiled = await tool("tsc", "--project", ".").catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe("");
});

it("makes clients that send what the service takes", async () => {
  const program = (await import(/* @vite-ignore */ join(folder, "program.ts"))) as Program;
  const file = new Blob(["an image"], { type: "image/jpeg" });
  sent = [];
  expect(await program.typed(address)).toBe(300);
  expect(await program.hey(address, file)).toEqual([300, 300]);
  expect(await program.orval(address, file)).toEqual([300, 300]);
  const paths = sent.map(({ url }) => new URL(url).pathname);
  expect(paths).toEqual(["/1.0/fetch", "/1.0/fetch", "/1.0/upload", "/1.0/fetch", "/1.0/upload"]);
  for (const request of sent) {
    if (new URL(request.url).pathname === "/1.0/fetch") {
      expect(await request.json()).toMatchObject({ resize: { width: 300 }, output: { format: "webp" } });
      continue;
    }
    const form = await request.formData();
    expect([...form.keys()].sort()).toEqual(["data", "file"]);
    expect(await (form.get("file") as File).text()).toBe("an image");
    const data = form.get("data");
    expect(JSON.parse(data instanceof File ? await data.text() : String(data))).toEqual({ resize: { width: 300 } });
  }
});
