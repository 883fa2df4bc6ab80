/** A refused address explains itself to the owner of its delivery, and to nobody else. */
import { beforeEach, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";

beforeEach(() => forgetKeys());

const PREFIX = "https://www.example.com/uploads/";

async function delivered(unsigned: object | false) {
  const { key } = await openAccount();
  const json = { name: "Site", sources: [{ kind: "web", prefix: PREFIX }], unsigned };
  const { body } = await api("POST", "/1.0/deliveries", { key, json });
  const base = `/i/${body.delivery.id}`;
  const said = async (address: string, asker?: string) => {
    const { status, body: failure } = await api("GET", base + address, asker === undefined ? {} : { key: asker });
    expect(status).toBe(403);
    expect(failure.error).toBe("address.refused");
    return String(failure.message).replace("This address is not allowed", "");
  };
  return { key, said };
}

it.each([
  ["/w=750/a.jpg", ": its width is not in unsigned.widths, which has 320, 640"],
  ["/w=320,f=jxl/a.jpg", ": its format is not in unsigned.formats, which has webp"],
  ["/w=320,h=200/a.jpg", /^: it has a height for which it must be signed; without a signature: width, /],
  ["/w=640,blur=3/a.jpg", ": it is blurred and not as wide as the smallest of unsigned.widths (320, 640)"],
  ["/w=320/https://www.example.org/a.jpg", ": sources of the delivery have no place for its original"],
  ["/w=320/a.jpg?v=1", ": its original has a query that unsigned.query does not list"],
  ["/w=320,sig=AAAA/a.jpg", /^: its signature is not that of this very text/],
])("%s is explained", async (address, reason) => {
  const { key, said } = await delivered({ widths: [320, 640], formats: ["webp"] });
  expect(await said(address, key)).toMatch(reason);
  expect(await said(address)).toBe("");
});

it("is not explained to the key of another account, nor to a wrong one", async () => {
  const { key, said } = await delivered(false);
  const other = await openAccount();
  expect(await said("/w=1/a.jpg", key)).toBe(": it has no signature, and unsigned is false");
  expect(await said("/w=1/a.jpg", other.key)).toBe("");
  expect(await said("/w=1/a.jpg", "nobody")).toBe("");
});
