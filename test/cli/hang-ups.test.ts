/** What the runtime is told of clients that hang up. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

import { afterEach, beforeEach, expect, it } from "vitest";

import { BEHIND, type Front, isOwnMachine, listenBefore } from "../../src/cli/hang-ups.ts";

let runtime: Server;
let front: Front;
/** The connection that came through to the runtime. */
let arrived: PromiseWithResolvers<Socket>;

beforeEach(async () => {
  arrived = Promise.withResolvers();
  runtime = createServer({ allowHalfOpen: true }, arrived.resolve);
  await new Promise<void>((resolve) => runtime.listen(0, BEHIND, resolve));
  front = await listenBefore((runtime.address() as AddressInfo).port, { host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  await front.stop();
  runtime.close();
});

/** A client that has sent a request, and the runtime's end of its connection. */
async function asked(): Promise<[client: Socket, inside: Socket]> {
  const client = connect(Number(front.url.port), front.url.hostname);
  client.write("GET / HTTP/1.1\r\n\r\n");
  const inside = await arrived.promise;
  expect(await next(inside)).toBe("GET / HTTP/1.1\r\n\r\n");
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

it("passes on what both sides say, and ends with the runtime", async () => {
  const [client, inside] = await asked();
  inside.write("HTTP/1.1 200 OK\r\n\r\n");
  expect(await next(client)).toBe("HTTP/1.1 200 OK\r\n\r\n");
  const ended = endOf(client);
  inside.end();
  expect(await ended).toBe("end");
});

it.each([
  ["closes", (client: Socket) => client.end()],
  ["is gone", (client: Socket) => client.destroy()],
  ["resets", (client: Socket) => client.resetAndDestroy()],
])("resets the connection to the runtime when the client %s", async (_how, hangUp) => {
  const [client, inside] = await asked();
  const ended = endOf(inside);
  hangUp(client);
  expect(await ended).toBe("ECONNRESET");
});

it("stops while clients are there", async () => {
  const [client, inside] = await asked();
  const ended = endOf(inside);
  client.on("error", () => undefined);
  await front.stop();
  expect(await ended).toBe("ECONNRESET");
});

it("takes for this machine what only this machine can reach", () => {
  const [own, others] = [
    ["localhost", "127.0.0.1", "127.8.0.1", "::1"],
    ["0.0.0.0", "::", "192.168.0.7", "127.0.0.1.example.org", "photos.local"],
  ];
  expect(own.filter(isOwnMachine)).toEqual(own);
  expect(others.filter(isOwnMachine)).toEqual([]);
});
