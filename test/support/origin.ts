/** Two local servers that misbehave on request: the origins of the tests. */
import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import type { TestProject } from "vitest/node";

import { PIXEL } from "./pixel.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Base URLs of two origins, without a slash at the end. */
    origin: string;
    otherOrigin: string;
  }
}

const PIXELS = Buffer.from("an image, as far as the origin knows");

const endless = new Set<ServerResponse>();
const ended = new EventEmitter();

type Behavior = (response: ServerResponse, query: URLSearchParams, request: IncomingMessage) => void;

const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  hook,
  hooks: showHooks,
  image: (response) => response.end(PIXELS),
  /** One that a service which reads pixels reads. */
  picture: (response) => response.end(PIXEL),
  chunked: (response) => {
    response.write(PIXELS.subarray(0, 5));
    response.end(PIXELS.subarray(5));
  },
  named: (response, query) => {
    response.setHeader("content-disposition", query.get("disposition") ?? "");
    response.end(PIXELS);
  },
  /** A name in bare UTF-8, as many servers write it. */
  "raw-name": (response, query) => {
    const disposition = `Content-Disposition: inline; filename="${query.get("name")}"`;
    response.socket?.end(`HTTP/1.1 200 OK\r\n${disposition}\r\nContent-Length: 5\r\nConnection: close\r\n\r\nimage`);
  },
  headers: (response, _, { headers, url }) => response.end(JSON.stringify({ ...headers, ":path": url })),
  json: (response, query) => response.end(query.get("body")),
  status: (response, query) => {
    response.statusCode = Number(query.get("code"));
    response.end("secret words of the origin");
  },
  redirect: (response, query) => {
    response.writeHead(Number(query.get("code") ?? 302), { location: query.get("to") ?? "" });
    response.end("moved");
  },
  loop: (response, query) => {
    const left = Number(query.get("left"));
    response.writeHead(302, { location: left > 1 ? `/loop?left=${left - 1}` : "/image" });
    response.end();
  },
  empty: (response) => response.end(),
  /** Says nothing at all. */
  silent: () => undefined,
  /** Begins, and goes no further. */
  stall: (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write(PIXELS);
  },
  endless: (response) => {
    endless.add(response);
    response.on("close", () => {
      endless.delete(response);
      if (endless.size === 0) ended.emit("all");
    });
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", more);
    more();
  },
  /** Answers when nobody reads an endless answer any more. */
  ended: (response) => {
    if (endless.size === 0) response.end(PIXELS);
    else ended.once("all", () => response.end(PIXELS));
  },
  short: (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write(PIXELS, () => response.destroy());
  },
  cut: (response) => {
    response.write(PIXELS, () => response.destroy());
  },
  huge: (response, query) => {
    response.writeHead(200, { "content-length": query.get("length") ?? "" });
    response.flushHeaders();
  },
  bomb: (response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(Buffer.alloc(8 * 1024 * 1024)));
  },
  coded: (response, query) => {
    response.setHeader("content-encoding", query.get("coding") ?? "");
    response.end(query.get("coding") === "gzip" ? gzipSync(PIXELS) : PIXELS);
  },
};

interface Hook {
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  readonly body: string;
}

const hooks = new Map<string, Hook[]>();
const hooked = new EventEmitter();

/** `POST /hook/<name>?code=<status>` is kept; `GET /hooks/<name>?count=<n>` answers with all of them once there are n. */
function hook(response: ServerResponse, query: URLSearchParams, request: IncomingMessage): void {
  const name = new URL(request.url ?? "/", "http://origin").pathname.split("/")[2] ?? "";
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    hooks.set(name, [...(hooks.get(name) ?? []), { headers: request.headers, url: request.url ?? "", body }]);
    response.writeHead(Number(query.get("code") ?? 200), { location: "/image" }).end("whatever");
    hooked.emit(name);
  });
}

function showHooks(response: ServerResponse, query: URLSearchParams, request: IncomingMessage): void {
  const name = new URL(request.url ?? "/", "http://origin").pathname.split("/")[2] ?? "";
  const got = hooks.get(name) ?? [];
  if (got.length >= Number(query.get("count"))) response.end(JSON.stringify(got));
  else hooked.once(name, () => showHooks(response, query, request));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://origin");
  const behavior = BEHAVIORS[pathname.split("/")[1] ?? ""];
  if (behavior) behavior(response, searchParams, request);
  else response.writeHead(404).end();
}

export default async function setup(project: TestProject): Promise<() => void> {
  const servers = [createServer(answer), createServer(answer)];
  const [origin = "", otherOrigin = ""] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  project.provide("origin", origin);
  project.provide("otherOrigin", otherOrigin);
  return () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  };
}
