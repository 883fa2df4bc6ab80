/** The owner of a delivery asks what an address means, and is told what visitors are answered with. */
import { beforeEach, expect, it } from "vitest";

import { imageURL } from "#clients/image-url";
import { signURL } from "#clients/sign";

import { forgetKeys } from "../../src/account/keys.ts";
import type { AddressExplained } from "../../src/contract/explanation.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";

beforeEach(() => forgetKeys());

const PREFIX = "https://www.example.com/uploads/";
const HOST = "https://img.example.com";

async function delivered() {
  const { key } = await openAccount();
  const json = {
    name: "Site",
    sources: [{ kind: "web", prefix: PREFIX }],
    presets: { card: { resize: { width: 320 } } },
    unsigned: { widths: [320, 640], formats: ["webp"], qualities: [75] },
  };
  const { body } = await api("POST", "/1.0/deliveries", { key, json });
  const { id } = body.delivery as { readonly id: string };
  const pair = body.signing as { readonly key: string; readonly salt: string };
  const asked = (address: string, query = "", asker = key) =>
    api("GET", `/1.0/deliveries/${id}/explain?address=${encodeURIComponent(address)}${query}`, { key: asker });
  const explained = async (address: string, query = "") => {
    const { status, body: told } = await asked(address, query);
    expect(status).toBe(200);
    return told as unknown as AddressExplained;
  };
  /** What a visitor is told, who sends no key. */
  const visited = async (address: string) => (await api("GET", address.replace(HOST, ""), {})).body;
  return { id, pair, asked, explained, visited };
}

it("tells what is asked, the original, and the request that is worked on", async () => {
  const { id, explained } = await delivered();
  const told = await explained(`${HOST}/i/${id}/w=320,preset=card,q=70/a.jpg`, "&accept=image/webp,*/*");
  expect(told).toMatchObject({
    allowed: true,
    dialect: "i",
    signature: "none",
    asked: { source: "a.jpg", presets: ["card"], width: 320, format: "auto", request: { optimize: { quality: 70 } } },
    original: `${PREFIX}a.jpg`,
    // The quality is the nearest that is listed.
    request: { resize: { width: 320 }, optimize: { quality: 75 }, output: { format: "auto" } },
  });
  expect(told.accept).toContain("image/webp");
  expect(told.refusal).toBeUndefined();
  const same = await explained(`/i/${id}/quality=70,preset=card,width=320/${PREFIX}%61.jpg#top`, "&accept=image/webp");
  expect([same.request, same.original]).toEqual([told.request, told.original]);
});

it.each([
  ["/i/ID/w=750/a.jpg", "its width is not in unsigned.widths, which has 320, 640", { resize: { width: 750 } }],
  ["/i/ID/w=320/https://www.example.org/a.jpg", "sources of the delivery have no place for its original", {}],
  ["/i/ID/w=320,sig=AAAA/a.jpg", "its signature is not that of this very text", {}],
  ["/imgproxy/ID/unsafe/rs:fit:300/plain/a.jpg", "its width is not in unsigned.widths", { resize: { width: 300 } }],
] as const)("gives the reason, and what it would be: %s", async (address, reason, request) => {
  const { id, explained, visited } = await delivered();
  const own = address.replace("ID", id);
  const told = await explained(own);
  expect(told).toMatchObject({ allowed: false, refusal: { code: 403, error: "address.refused" }, request });
  expect(told.refusal?.message).toContain(reason);
  const { code, error, message } = await visited(own);
  expect([code, error]).toEqual([told.refusal?.code, told.refusal?.error]);
  expect(told.refusal?.message.startsWith(message)).toBe(true);
});

it("tells of addresses of Next in its words, and of options that cannot be read", async () => {
  const { id, explained } = await delivered();
  const good = await explained(`${HOST}/next/${id}/_next/image?url=%2Fuploads%2Fa.jpg&w=640&q=75`);
  expect([good.dialect, good.asked?.width]).toEqual(["next", 640]);
  const url = encodeURIComponent(`${PREFIX}a.jpg`);
  const wide = await explained(`${HOST}/next/${id}/_next/image?url=${url}&w=641&q=75`);
  expect(wide.refusal).toMatchObject({ code: 400, message: '"w" parameter (width) of 641 is not allowed' });
  const unknown = await explained(`/i/${id}/nonsense=1/a.jpg`);
  expect(unknown).toMatchObject({ allowed: false, refusal: { code: 422 } });
  expect(unknown.asked).toBeUndefined();
  expect((await explained(`/i/${id}`)).refusal).toMatchObject({ code: 404 });
});

it("knows whether a signature holds, and when an address ends", async () => {
  const { id, pair, explained } = await delivered();
  const unsigned = imageURL({ baseURL: `${HOST}/i/${id}` }, "a.jpg", { width: 751, height: 100 });
  const signed = await signURL(pair, unsigned);
  expect(await explained(signed)).toMatchObject({ allowed: true, signature: "valid", asked: { width: 751 } });
  expect(await explained(signed.replace("751", "752"))).toMatchObject({ allowed: false, signature: "wrong" });
  const over = await signURL(pair, unsigned.replace("width=751", "width=751,exp=1000000000"));
  const told = await explained(over);
  expect(told).toMatchObject({ allowed: false, asked: { expires_at: "2001-09-09T01:46:40.000Z" } });
  expect(told.refusal?.message).toContain("its time has ended");
});

it("is for addresses of this delivery, and for its owner", async () => {
  const { id, asked } = await delivered();
  const other = await delivered();
  for (const address of [`/i/${other.id}/w=320/a.jpg`, `/1.0/deliveries/${id}`, "a.jpg", `${HOST}/temp/${id}/a`]) {
    const { status, body } = await asked(address);
    expect([status, body.message]).toEqual([422, "address must be an address of this delivery"]);
  }
  expect((await api("GET", `/1.0/deliveries/${id}/explain`, { key: (await openAccount()).key })).status).toBe(404);
  const { key } = await openAccount();
  expect((await asked(`/i/${id}/w=320/a.jpg`, "", key)).status).toBe(404);
});
