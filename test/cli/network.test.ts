/** The network of a service on this machine that may read no private address. */
import { createServer, type Server } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";

import { Request } from "miniflare";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { publicNetwork } from "../../src/cli/network.ts";

let server: Server;
let asked: string[] = [];
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}`);
    request.pipe(response.writeHead(201, { "x-said": ["a", "b"] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => server.close());

/** Looks every name up as these addresses. */
const leadingTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const requestTo = (host: string) =>
  new Request(`http://${host}:${(server.address() as AddressInfo).port}/x`, { method: "POST", body: "told" });

describe("a name that leads to a private address", () => {
  it.each([
    ["of this machine", ["127.0.0.1"]],
    ["as version 6", ["::1"]],
    ["wrapped in version 6", ["::ffff:127.0.0.1"]],
    ["of the private network", ["10.1.2.3"]],
    ["of a cloud's metadata", ["169.254.169.254"]],
    ["beside a public one", ["93.184.215.14", "127.0.0.1"]],
  ])("is not called: %s", async (_, addresses) => {
    const network = publicNetwork([], leadingTo(...addresses));
    expect((await network(requestTo("pictures.example"))).status).toBe(502);
    expect(asked).toEqual([]);
  });

  it.each(["127.0.0.1", "[::1]", "localhost", "2130706433"])("is none that is written as it is: %s", async (host) => {
    expect((await publicNetwork([])(requestTo(host))).status).toBe(502);
    expect(asked).toEqual([]);
  });

  it("is called where it is the operator's own store", async () => {
    const network = publicNetwork(["store.example"], leadingTo("127.0.0.1"));
    const answer = await network(requestTo("store.example"));
    expect([answer.status, answer.headers.get("x-said"), await answer.text()]).toEqual([201, "a, b", "told"]);
    expect(asked).toEqual([`POST store.example:${(server.address() as AddressInfo).port}`]);
  });
});

it("a name that nobody knows is not reached", async () => {
  const lookup: LookupFunction = (_, __, done) => done(new Error("ENOTFOUND"), "");
  expect((await publicNetwork([], lookup)(requestTo("nobody.example"))).status).toBe(502);
});
