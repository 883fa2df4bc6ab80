/**
 * A server between a service in another process, which asks it for originals, and tests in the runtime, which cannot listen:
 * they fetch what was asked, and post what is to be answered.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** The headers of the connection itself are the server's. */
const OWN = new Set(["connection", "transfer-encoding"]);

/** Of one test file: requests that nobody has fetched yet, or whoever waits for the next one. */
interface Line {
  readonly asked: string[];
  waiting?: ServerResponse;
  isEnded?: true;
}

/** Starts it; its address, without a slash at the end. */
export async function startRelay(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const lines = new Map<string, Line>();
  const open = new Map<string, ServerResponse>();
  let count = 0;
  let url = "";

  function next(name: string, response: ServerResponse): void {
    const line = lines.get(name) ?? { asked: [] };
    lines.set(name, line);
    const first = line.asked.shift();
    if (line.isEnded) close(name, response);
    else if (first === undefined) line.waiting = response;
    else response.end(first);
  }

  function close(name: string, response: ServerResponse): void {
    lines.delete(name);
    response.writeHead(204).end();
  }

  function end(name: string, response: ServerResponse): void {
    const line = lines.get(name) ?? { asked: [] };
    lines.set(name, line);
    // Who is about to ask for the next one is told then.
    if (line.waiting) close(name, line.waiting);
    else line.isEnded = true;
    response.end();
  }

  function ask(name: string, request: IncomingMessage, response: ServerResponse): void {
    const line = lines.get(name);
    // Its test is over: what a service does afterwards finds no original.
    if (!line || line.isEnded) return void response.writeHead(404).end();
    count += 1;
    const id = String(count);
    open.set(id, response);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const asked = JSON.stringify({ id, url: url + request.url, method: request.method, headers });
    const { waiting } = line;
    delete line.waiting;
    if (waiting) waiting.end(asked);
    else line.asked.push(asked);
  }

  async function give(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const headers = JSON.parse(String(request.headers["x-headers"])) as [string, string][];
    const asked = open.get(id);
    open.delete(id);
    for (const [key, value] of headers) if (!OWN.has(key)) asked?.setHeader(key, value);
    asked?.writeHead(Number(request.headers["x-status"])).end(body);
    response.end();
  }

  const server = createServer((request, response) => {
    const [, name = "", value = ""] = (request.url ?? "").split("/");
    if (name === "next") next(value, response);
    else if (name === "end") end(value, response);
    else if (name === "given") void give(value, request, response);
    else ask(name, request, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
