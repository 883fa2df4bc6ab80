/** Blob storage: requests are handed to the Azurite emulator as they came, so it is the emulator that verifies them. */
import { createHmac } from "node:crypto";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

import { BLOB_ACCOUNT } from "./accounts.ts";
import type { Content, Dialect, Received, Reply } from "./server.ts";

/** Starts the emulator when the first request comes: most test runs never need it. */
export function blob(): Dialect & { stop: () => void } {
  let thread: Worker | undefined;
  let emulator: Promise<string> | undefined;
  const address = () => (emulator ??= listening((thread = startEmulator())));
  return {
    target: ({ method, path }) => {
      const [, bucket, key] = new RegExp(`^/${BLOB_ACCOUNT.account}/([^/]+)/(.+)$`).exec(path) ?? [];
      return method === "PUT" && bucket !== undefined && key !== undefined
        ? { bucket: `${BLOB_ACCOUNT.account}/${bucket}`, key }
        : undefined;
    },
    verify: async (request) => {
      if (request.query.get("comp") === "list") return list(await address(), request);
      return request.method === "GET" ? judgeRead(request) : forward(await address(), request);
    },
    judgesConditions: true,
    // The emulator answers by itself, in `verify`.
    listing: ({ query }) =>
      query.get("comp") === "list"
        ? { folder: "/", bucket: "", prefix: "", after: "", limit: 0, reply: () => ({ status: 500 }) }
        : undefined,
    tells: ({ resource }) => toldByEmulator(resource as IncomingHttpHeaders),
    content: async (request) => readBack(await address(), request),
    error: (status, code) => ({
      status,
      headers: { "x-ms-error-code": code },
      body: `<Error><Code>${code}</Code></Error>`,
    }),
    stored: { status: 201 },
    stop: () => void thread?.terminate(),
  };
}

/** In a thread of its own: it ends with the test run, however that ends. */
function startEmulator(): Worker {
  const main = createRequire(import.meta.url).resolve("azurite/dist/src/blob/main.js");
  const argv = ["--blobPort", "0", "--inMemoryPersistence", "--disableTelemetry", "--silent"];
  return new Worker(main, { argv, stdout: true });
}

async function listening(thread: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.stdout.on("data", (chunk) => {
      const url = /listens on (http:\/\/\S+)/.exec(String(chunk))?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** The emulator's containers are public, so that it hands out anything: here a read has to be signed. */
function judgeRead({ path, headers }: Received): Reply | null {
  const { account, key } = BLOB_ACCOUNT;
  const named = `x-ms-date:${headers["x-ms-date"]}\nx-ms-version:${headers["x-ms-version"]}\n`;
  const message = `GET${"\n".repeat(12)}${named}/${account}${path}`;
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(message).digest("base64");
  const isFresh = Math.abs(Date.now() - Date.parse(headers["x-ms-date"] ?? "")) < 900_000;
  if (isFresh && headers["authorization"] === `SharedKey ${account}:${signature}`) return null;
  return { status: 403, headers: { "x-ms-error-code": "AuthorizationFailure" } };
}

/** A list, whose signature the emulator verifies. */
async function list(emulator: string, request: Received): Promise<Reply> {
  const { host: _, connection: __, ...headers } = request.headers;
  const response = await fetch(`${emulator}${request.path}?${request.query.toString()}`, { headers });
  const code = response.headers.get("x-ms-error-code");
  return { status: response.status, headers: code ? { "x-ms-error-code": code } : {}, body: await response.text() };
}

const TOLD = /^(?:etag|last-modified|x-ms-meta-.*|cache-control|content-(?:disposition|language))$/;

function toldByEmulator(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (TOLD.test(name) ? [[name, String(value)]] : [])),
  );
}

/** Null when the emulator has stored it. */
async function forward(emulator: string, request: Received): Promise<Reply | null> {
  await createContainer(emulator, request.path.split("/")[2] ?? "");
  const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...headers } = request.headers;
  const { method } = request;
  const body = method === "PUT" ? new Uint8Array(request.body) : null;
  const response = await fetch(emulator + request.path, { method, headers, body });
  if (response.status === 201 || response.status === 202) return null;
  const code = response.headers.get("x-ms-error-code");
  return { status: response.status, headers: code ? { "x-ms-error-code": code } : {}, body: await response.text() };
}

/** What the emulator hands out afterward to anybody, as it is: `fetch` would undo a content encoding. */
async function readBack(emulator: string, request: Received): Promise<Content> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(emulator + request.path, resolve).on("error", reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { bytes: Buffer.concat(chunks), type: response.headers["content-type"] ?? "", resource: response.headers };
}

async function createContainer(emulator: string, container: string): Promise<void> {
  const date = new Date().toUTCString();
  const headers = `x-ms-blob-public-access:blob\nx-ms-date:${date}\nx-ms-version:2021-08-06\n`;
  const { account, key } = BLOB_ACCOUNT;
  const resource = `/${account}/${account}/${container}\nrestype:container`;
  const message = `PUT${"\n".repeat(12)}${headers}${resource}`;
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(message).digest("base64");
  const response = await fetch(`${emulator}/${account}/${container}?restype=container`, {
    method: "PUT",
    headers: {
      "x-ms-blob-public-access": "blob",
      "x-ms-date": date,
      "x-ms-version": "2021-08-06",
      authorization: `SharedKey ${account}:${signature}`,
    },
  });
  await response.arrayBuffer();
  if (response.status !== 201 && response.status !== 409) throw new Error(`The emulator answered ${response.status}`);
}
