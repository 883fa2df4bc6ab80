/** What holds for every route: credentials, methods, HTTPS and CORS. */
import * as v from "valibot";
import { beforeEach, describe, expect, it } from "vitest";

import { ROUTES } from "../../src/http/routes.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";

const counted = ROUTES.filter((route) => route.access !== "open");
const withKey = ROUTES.filter((route) => route.access === "key");

/** A path of this route, with ids that nothing has. */
function pathOf(pattern: string): string {
  return pattern.replace(/:\w+/g, "0f8fad5b-d9cb-469f-a165-70867728950e");
}

let key = "";
beforeEach(async () => {
  ({ key } = await openAccount());
});

describe.each(counted)("$method $path", ({ method, path, access }) => {
  const verb = method.toUpperCase();

  it("is 401 without a credential, with a challenge", async () => {
    const answer = await api(verb, pathOf(path));
    expect(answer.status).toBe(401);
    expect(answer.body.message).toBe("Missing API key");
    expect(answer.headers.get("www-authenticate")).toBe('Basic realm="api", Bearer');
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("is 401 with a wrong credential, whatever the scheme", async () => {
    for (const authorization of ["Bearer wrong", `Basic ${btoa("wrong:")}`, "Basic ???", "Digest x", "Bearer "]) {
      const answer = await api(verb, pathOf(path), { headers: { authorization } });
      expect(answer.status).toBe(401);
    }
  });

  it("is 403 over plain HTTP, and not on a loopback host", async () => {
    const plain = await api(verb, pathOf(path), { base: "http://darkroom.test", key });
    expect(plain.status).toBe(403);
    expect(plain.body.message).toBe("HTTPS is required");
    for (const host of ["localhost:8787", "127.0.0.1", "[::1]:80"]) {
      expect((await api(verb, pathOf(path), { base: `http://${host}` })).status).toBe(401);
    }
  });

  it("is 405 with Allow for another method", async () => {
    const credential = access === "operator" ? "admin-token-for-tests" : key;
    const another = ROUTES.some((route) => route.path === path && route.method === "put") ? "POST" : "PUT";
    const answer = await api(another, pathOf(path), { key: credential });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain(verb);
  });

  it("answers OPTIONS with the methods and no permission for foreign pages", async () => {
    const answer = await api("OPTIONS", pathOf(path), { headers: { origin: "https://page.test" } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toContain(verb);
    expect(answer.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe.each(withKey)("$method $path with a key", ({ method, path, body, query, refusals }) => {
  // The ids are nobody's, and a body or a query is missing: past the door, but not far.
  const isAsked = query === undefined || v.is(query, {});
  const expected = refusals.includes(404) && pathOf(path) !== path ? 404 : body ? 415 : isAsked ? 200 : 422;

  it("accepts both schemes and a trailing slash", async () => {
    for (const authorization of [`Bearer ${key}`, `basic ${btoa(`${key}:`)}`, `Basic ${btoa(key)}`]) {
      for (const slash of ["", "/"]) {
        const answer = await api(method.toUpperCase(), pathOf(path) + slash, { headers: { authorization } });
        expect(answer.status).toBe(expected);
        expect(answer.headers.get("x-ratelimit-limit")).toBe("100000");
      }
    }
  });
});

describe("what is not there", () => {
  it("is 404 with a key and 401 without under /1.0", async () => {
    expect((await api("GET", "/1.0/nothing", { key })).status).toBe(404);
    expect((await api("GET", "/1.0/nothing")).status).toBe(401);
  });

  it("is 404 elsewhere, counted by address without a key and by key with one", async () => {
    const anonymous = await api("GET", "/nothing");
    expect(anonymous.status).toBe(404);
    expect(anonymous.headers.get("x-ratelimit-limit")).toBe("1000");
    const known = await api("GET", "/nothing", { key });
    expect(known.headers.get("x-ratelimit-limit")).toBe("100000");
  });
});

describe("what is open", () => {
  it("is not counted", async () => {
    for (const path of ["/health", "/openapi.json", "/health/"]) {
      const answer = await api("GET", path);
      expect(answer.status).toBe(200);
      expect(answer.headers.has("x-ratelimit-limit")).toBe(false);
    }
  });

  it("answers HEAD like GET, without the body", async () => {
    const answer = await api("HEAD", "/health");
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
  });
});
