/** The network of a service on this machine that may read no private address. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as ask, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Network, publicNetwork } from "../../src/cli/network.ts";

const STORE = { "x-darkroom-said": JSON.stringify({ isStore: true }) };

let server: Server;
let asked: { readonly what: string; readonly headers: IncomingHttpHeaders }[] = [];
let networks: Network[] = [];
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push({ what: `${request.method} ${request.headers.host}`, headers: request.headers });
    if (request.url !== "/never") request.pipe(response.writeHead(201, { "x-said": ["a", "b"] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await Promise.all(networks.splice(0).map(({ stop }) => stop()));
  server.closeAllConnections();
  server.close();
});

/** Looks every name up as these addresses. */
const leadingTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const portOf = (one: Server) => (one.address() as AddressInfo).port;

interface Call {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly hasPass?: boolean;
}

/** Calls a host as the runtime does. */
function calling(network: Network, host: string, { path = "/x", headers = {}, hasPass = true }: Call = {}) {
  const { address, http } = network.service.external;
  const [, port] = address.split(":");
  const injected = http.injectRequestHeaders.map(({ name, value }) => [name, value]);
  return ask({
    port,
    method: "POST",
    path: `http://${host}:${portOf(server)}${path}`,
    headers: { ...headers, ...(hasPass && Object.fromEntries(injected)) },
    agent: false,
  });
}

async function networkOf(hosts: readonly string[], lookup?: LookupFunction): Promise<Network> {
  const network = await publicNetwork(hosts, lookup);
  networks.push(network);
  return network;
}

async function statusOf(network: Network, host: string, call?: Call) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    calling(network, host, call).on("response", resolve).on("error", reject).end("told");
  });
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return { status: answer.statusCode, said: answer.headers["x-said"], text };
}

describe("a name that leads to a private address", () => {
  it.each([
    ["of this machine", ["127.0.0.1"]],
    ["as version 6", ["::1"]],
    ["wrapped in version 6", ["::ffff:127.0.0.1"]],
    ["of the private network", ["10.1.2.3"]],
    ["of a cloud's metadata", ["169.254.169.254"]],
    ["of any machine", ["0.0.0.0"]],
    ["by a translator of addresses", ["64:ff9b::7f00:1"]],
    ["beside a public one", ["93.184.215.14", "127.0.0.1"]],
  ])("is not called: %s", async (_, addresses) => {
    const network = await networkOf([], leadingTo(...addresses));
    expect((await statusOf(network, "pictures.example")).status).toBe(502);
    expect(asked).toEqual([]);
  });

  it("is looked up once: what is judged is what is called", async () => {
    let looks = 0;
    const changing: LookupFunction = (_, __, done) => {
      looks += 1;
      // The second address is one that answers.
      done(null, [{ address: looks === 1 ? "10.1.2.3" : "127.0.0.1", family: 4 }]);
    };
    expect((await statusOf(await networkOf([], changing), "pictures.example")).status).toBe(502);
    expect([looks, asked]).toEqual([1, []]);
  });

  it.each(["127.0.0.1", "[::1]", "localhost", "2130706433"])("is none that is written as it is: %s", async (host) => {
    expect((await statusOf(await networkOf([]), host)).status).toBe(502);
    expect(asked).toEqual([]);
  });

  it.each([["store.example"], ["*.example"]])("is called where it is a store of the operator's, %s", async (listed) => {
    const network = await networkOf([listed], leadingTo("127.0.0.1"));
    expect(await statusOf(network, "store.example", { headers: STORE })).toEqual({
      status: 201,
      said: "a, b",
      text: "told",
    });
    expect(asked.map(({ what }) => what)).toEqual([`POST store.example:${portOf(server)}`]);
  });

  it("is not called as an origin, though it is a store of the operator's", async () => {
    const network = await networkOf(["store.example"], leadingTo("127.0.0.1"));
    expect((await statusOf(network, "store.example")).status).toBe(502);
    expect((await statusOf(network, "other.example", { headers: STORE })).status).toBe(502);
    expect(asked).toEqual([]);
  });
});

it("a name that nobody knows is not reached", async () => {
  const lookup: LookupFunction = (_, __, done) => done(new Error("ENOTFOUND"), "");
  expect((await statusOf(await networkOf([], lookup), "nobody.example")).status).toBe(502);
});

it("nobody but the runtime calls by the proxy, and nothing of its own leaves with a call", async () => {
  const network = await networkOf(["store.example"], leadingTo("127.0.0.1"));
  expect((await statusOf(network, "store.example", { headers: STORE, hasPass: false })).status).toBe(502);
  expect(asked).toEqual([]);
  // A name that the simulator would take an order from is a header like any other.
  const headers = { ...STORE, "mf-custom-node-service": "0/#x", "x-own": "1" };
  await statusOf(network, "store.example", { headers });
  const [{ headers: received } = { headers: {} }] = asked;
  expect(received).toMatchObject({ "mf-custom-node-service": "0/#x", "x-own": "1" });
  expect(Object.keys(received).filter((name) => name.startsWith("x-darkroom"))).toEqual([]);
});

it("an origin that never answers is left when the caller waits no longer", async () => {
  const network = await networkOf(["store.example"], leadingTo("127.0.0.1"));
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  const call = calling(network, "store.example", { headers: STORE, path: "/never" }).on("error", () => undefined);
  call.end("told");
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 20_000 });
  expect(await connections()).toBe(1);
  call.destroy();
  await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 20_000 });
});
