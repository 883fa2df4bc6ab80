/** API keys: how requests carry them, and how new ones are made. */
import { describe, expect, it } from "vitest";

import { generateKey } from "../../src/account/keys.ts";
import { credentialOf } from "../../src/http/authenticate.ts";

describe("the credential of a header", () => {
  it.each([
    ["Bearer abc", "abc"],
    ["bearer  abc ", "abc"],
    [`Basic ${btoa("abc:")}`, "abc"],
    [`BASIC ${btoa("abc")}`, "abc"],
  ])("is read from %s", (header, expected) => {
    expect(credentialOf(header)).toBe(expected);
  });

  it.each([
    undefined,
    "",
    "abc",
    "Bearer",
    "Bearer a b",
    "Digest abc",
    "Basic !!!",
    `Basic ${btoa(":")}`,
    `Basic ${btoa("abc:password")}`,
    `Bearer ${"x".repeat(600)}`,
  ])("is none in %s", (header) => {
    expect(credentialOf(header)).toBeUndefined();
  });
});

describe("a new key", () => {
  it("is a prefix, 40 random letters and digits and a checksum, each time others, none rarer than the rest", () => {
    const keys = Array.from({ length: 2_000 }, generateKey);
    for (const key of keys) expect(key).toMatch(/^dk_[A-Za-z0-9]{46}$/);
    expect(new Set(keys).size).toBe(keys.length);
    const counts = new Map<string, number>();
    for (const character of keys.map((key) => key.slice(3, 43)).join("")) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // 80,000 characters: 1,290 each, with a standard deviation of 36. Eight of them never happen by chance.
    for (const count of counts.values()) expect(Math.abs(count - 80_000 / 62)).toBeLessThan(8 * 36);
  });
});
