/** What of callers reaches the runtime of a service on this machine, and what the runtime is told of those that hang up. */
import { createServer as createHttpServer, type IncomingHttpHeaders, type Server as HttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { BEHIND, type Front, listenBefore } from "../../src/cli/front.ts";

/** Sends what is no request of a usual client, and reads until the connection ends. */
async function said(front: Front, text: string, encoding: BufferEncoding = "latin1"): Promise<string> {
  const socket = connect(Number(front.url.port), front.url.hostname);
  socket.write(text, encoding);
  let answer = "";
  return new Promise((resolve) => {
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("error", () => undefined).on("close", () => resolve(answer));
  });
}

/** The status of each answer. */
const statuses = (answer: string): number[] =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "Connection: close", "", ""].join("\r\n");

const listening = async (server: Server | HttpServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, BEHIND, resolve));
  return (server.address() as AddressInfo).port;
};

describe("requests", () => {
  let runtime: HttpServer;
  let front: Front;
  /** What reached the runtime. */
  let reached: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];

  beforeEach(async () => {
    reached = [];
    runtime = createHttpServer((request, response) => {
      let body = "";
      request.on("data", (bytes: Buffer) => (body += bytes.toString()));
      request.on("end", () => {
        reached.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
        response.writeHead(200, { "x-answer": ["one", "two"], connection: "close", "keep-alive": "x" }).end("answer");
      });
    });
    front = await listenBefore(await listening(runtime), { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await front.stop();
    runtime.close();
  });

  it("are passed on, and answers come back, without the headers of connections", async () => {
    const headers = { "x-some": "thing", authorization: "Bearer a" };
    const answer = await fetch(new URL("/1.0/fetch?a=%20b", front.url).href, { method: "POST", headers, body: "text" });
    expect([answer.status, answer.headers.get("x-answer"), await answer.text()]).toEqual([200, "one, two", "answer"]);
    expect(answer.headers.get("keep-alive")).not.toBe("x");
    expect(reached).toMatchObject([{ method: "POST", url: "/1.0/fetch?a=%20b", headers, body: "text" }]);
  });

  it("cannot say to the simulator what their address is, where they come from, or which errors it tells", async () => {
    const orders = ["MF-Original-URL: https://bank.example/", "mf-route-override: x", "MF-CF-Blob: {", "MF-Op: GET"];
    await said(front, get("/health", ...orders, "CF-Connecting-IP: 203.0.113.9", "X-Forwarded-For: 203.0.113.9"));
    expect(Object.keys(reached[0]?.headers ?? {}).filter((name) => name.startsWith("mf-"))).toEqual([]);
    expect(reached[0]?.headers).toMatchObject({ host: "localhost", "cf-connecting-ip": "127.0.0.1" });
  });

  it("come from whom a known proxy names last, and from nobody whom it does not name", async () => {
    const runtimePort = (runtime.address() as AddressInfo).port;
    const behind = await listenBefore(runtimePort, { host: "127.0.0.1", port: 0, proxies: ["127.0.0.1"] });
    for (const words of ["203.0.113.9, 2001:db8::7", "203.0.113.9, nonsense", ""]) {
      await said(behind, get("/health", `X-Forwarded-For: ${words}`, "CF-Connecting-IP: 203.0.113.9"));
    }
    await behind.stop();
    const addresses = reached.map(({ headers }) => headers["cf-connecting-ip"]);
    expect(addresses).toEqual(["2001:db8::7", "127.0.0.1", "127.0.0.1"]);
  });

  it.each([
    "/cdn-cgi/local/r2/public/darkroom/temp/1/x.jpg",
    "/cdn-cgi/local/platform-proxy",
    "/a/../cdn-cgi/local/r2/public/x",
    "/a/%2e%2E/cdn-cgi/x",
    "/cdn-cgi",
    "/cdn-cgi\\local",
    "/__cf_local/stream",
  ])("reach nothing of the simulator under %s", async (path) => {
    expect(statuses(await said(front, get(path)))).toEqual([404]);
    expect(statuses(await said(front, get(`http://localhost${path}`)))).toEqual([404]);
    expect(reached).toEqual([]);
  });

  const host = "Host: localhost\r\n";
  it.each([
    ["5,000 headers", 431, get("/", ...Array.from({ length: 5_000 }, (_, index) => `x-${index}: 1`))],
    ["300 headers", 431, get("/", ...Array.from({ length: 300 }, (_, index) => `x-${index}: 1`))],
    ["a header of 200 KB", 431, get("/", `x: ${"a".repeat(200_000)}`)],
    ["two hosts", 400, get("/", "Host: other.example")],
    ["no host", 400, "GET / HTTP/1.0\r\n\r\n"],
    ["a host that is none", 400, "GET / HTTP/1.1\r\nHost: [::\r\nConnection: close\r\n\r\n"],
    ["a user in the host", 400, "GET / HTTP/1.1\r\nHost: a@b\r\nConnection: close\r\n\r\n"],
    ["CONNECT", 405, `CONNECT example.com:80 HTTP/1.1\r\n${host}\r\n`],
    ["an unusual method", 405, `PROPFIND / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
    ["an unknown method", 400, `FOO / HTTP/1.1\r\n${host}\r\n`],
    ["no path", 400, `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
    ["another scheme", 400, `GET ftp://localhost/ HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
    [
      "a length and pieces",
      400,
      `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["another protocol", 400, "\x16\x03\x01\x00\x01\r\n\r\n"],
  ])("are refused that have %s, and told nothing", async (_what, status, text) => {
    const answer = await said(front, text);
    expect(statuses(answer)).toEqual([status]);
    expect(answer.split("\r\n\r\n")[1]).toBe("");
    expect(reached).toEqual([]);
  });

  it("hide no second one in the body of a GET", async () => {
    const hidden = get("/admin/accounts");
    const pieces = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await said(
      front,
      `GET /health HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}`,
    );
    expect(reached.map(({ url }) => url)).toEqual(["/health"]);
  });

  it("name their host in either way, of which the first line wins", async () => {
    await said(front, get("http://photos.example:8080?a=1"));
    expect(reached).toMatchObject([{ url: "/?a=1", headers: { host: "photos.example:8080" } }]);
  });

  it("are 502 when no runtime is there", async () => {
    runtime.close();
    expect(statuses(await said(front, get("/")))).toEqual([502]);
  });
});

describe("a connection", () => {
  let runtime: Server;
  let front: Front;
  /** The connection that came through to the runtime. */
  let arrived: PromiseWithResolvers<Socket>;

  beforeEach(async () => {
    arrived = Promise.withResolvers();
    runtime = createServer({ allowHalfOpen: true }, (inside) => {
      inside.on("error", () => undefined);
      arrived.resolve(inside);
    });
    front = await listenBefore(await listening(runtime), { host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    await front.stop();
    runtime.close();
  });

  /** A client that has sent a request or its beginning, and the runtime's end of its connection. */
  async function asked(text = get("/")): Promise<[client: Socket, inside: Socket]> {
    const client = connect(Number(front.url.port), front.url.hostname);
    client.write(text);
    const inside = await arrived.promise;
    expect(await next(inside)).toMatch(/^(?:GET|POST) \/ HTTP\/1\.1\r\n/);
    return [client, inside];
  }

  const next = (socket: Socket) =>
    new Promise<string>((resolve) => socket.once("data", (bytes) => resolve(bytes.toString())));

  /** How a connection ends: by a reset, or by the end of what the other side sends. */
  const endOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
      socket.once("end", () => resolve("end"));
    });

  const hangUps: [string, (client: Socket) => unknown][] = [
    ["is gone", (client) => client.destroy()],
    ["resets", (client) => client.resetAndDestroy()],
  ];

  it.each(hangUps)("to the runtime is reset when the client %s", async (_how, hangUp) => {
    const [client, inside] = await asked();
    const ended = endOf(inside);
    hangUp(client);
    expect(await ended).toBe("ECONNRESET");
  });

  it.each([
    ["1.1", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["1.0", ""],
  ])("brings the answer to a client of HTTP/%s that ends its side of it, and reads on", async (version, interim) => {
    const [client, inside] = await asked(get("/").replace("HTTP/1.1", `HTTP/${version}`));
    let answer = "";
    client.on("data", (bytes) => (answer += bytes.toString()));
    const ended = endOf(client);
    client.end();
    // Longer than a client that is gone is waited for.
    await wait(200);
    inside.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer");
    expect(await ended).toBe("end");
    expect(answer.replaceAll("HTTP/1.1 100 Continue\r\n\r\n", "")).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nanswer$/);
    expect(answer.slice(0, interim.length)).toBe(interim);
  });

  it.each(["an answer", "a body"])("is reset when the client closes in the midst of %s", async (what) => {
    const isAnswer = what === "an answer";
    const [client, inside] = await asked(
      isAnswer ? undefined : "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart",
    );
    const [ended, begun] = [endOf(inside), next(client)];
    if (isAnswer) inside.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
    if (isAnswer) await begun;
    client.end();
    expect(await ended).toBe("ECONNRESET");
  });

  it.each(hangUps)("is reset in the midst of a body, too, when the client %s", async (_how, hangUp) => {
    const [client, inside] = await asked(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\npart`);
    const ended = endOf(inside);
    hangUp(client);
    expect(await ended).toBe("ECONNRESET");
  });

  it("gives the answer as it comes, and ends early where the runtime does", async () => {
    const [client, inside] = await asked();
    inside.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
    expect(await next(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    inside.write("part");
    expect(await next(client)).toBe("part");
    const ended = new Promise<string>((resolve) => client.once("close", () => resolve("close")).on("error", () => 0));
    inside.destroy();
    expect(await ended).toBe("close");
  });

  it("stays until the client has sent what it announced, also when its answer is there before", async () => {
    const [client, inside] = await asked(
      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 6\r\n\r\none",
    );
    inside.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno");
    expect(await next(client)).toContain("413");
    const ended = endOf(client);
    expect(await Promise.race([ended, wait(50)])).toBeUndefined();
    client.write("two");
    expect(await ended).toBe("end");
  });

  describe("of a client that does nothing with it", () => {
    beforeEach(async () => {
      await front.stop();
      const { port } = runtime.address() as AddressInfo;
      front = await listenBefore(port, { host: "127.0.0.1", port: 0 }, { headersMs: 300, stalledMs: 300 });
    });

    it.each([
      ["says nothing", ""],
      ["never ends its headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "],
    ])("is closed when it %s", async (_how, text) => {
      expect(statuses(await said(front, text))).toEqual([408]);
    });

    it("is closed when it takes nothing of its answer, and not while it waits for one", async () => {
      const [client, inside] = await asked();
      const ended = endOf(inside);
      client.pause();
      expect(await Promise.race([ended, wait(900)])).toBeUndefined();
      inside.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1 << 26}\r\n\r\n`);
      inside.write(new Uint8Array(1 << 26));
      expect(await ended).toBe("ECONNRESET");
      const cut = endOf(client);
      client.resume();
      expect(await cut).toBe("ECONNRESET");
    });
  });

  it("ends when the service stops", async () => {
    const [client, inside] = await asked();
    const ended = endOf(inside);
    client.on("error", () => undefined);
    await front.stop();
    expect(await ended).toBe("ECONNRESET");
  });
});
