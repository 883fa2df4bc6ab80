/** Pictures that leave: whoever sends them, nothing in them runs, and their names are no paths. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { deliveryWorld, file, originOf, signed, PREFIX } from "../support/delivery.ts";
import { upload, uploadToken } from "../support/upload-tokens.ts";

const api = apiOf(pipeline);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5" fill="red"/></svg>`;
const FILE = ["file", new File([SVG], "a.svg", { type: "image/svg+xml" })] as const;

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

/** What the answer with a drawing is shown under when it is opened by itself. */
function expectHarmless({ status, headers }: { readonly status: number; readonly headers: Headers }): void {
  expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/(?:^|; )sandbox(?:$|;)/);
  expect(policy).not.toContain("script");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-disposition")).toMatch(/^inline; filename="a\.svg"/);
}

it("a drawing has a policy as the answer to a form, in volatile storage, and by its address", async () => {
  const { key } = await openAccount();
  const token = await uploadToken(key, { data: { response: { mode: "binary" } } });
  const answer = await upload(token, { parts: [FILE], pipeline });
  expectHarmless(answer);
  const { pathname } = new URL(answer.body.output.url as string);
  expectHarmless(await api("GET", pathname));
  originOf(file(new TextEncoder().encode(SVG).buffer as ArrayBuffer));
  const { delivery, pair, ask } = await deliveryWorld({ refine: false });
  const made = await ask(`/i/${delivery.id}${await signed(pair, "-", `${PREFIX}a.svg`)}`);
  if (made.headers.get("content-type") === "image/svg+xml") expectHarmless(made);
  else expect(made.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});

it.each([
  ["..%2F..%2Fx", "x.jpg"],
  ["..%5c..%5cx", "x.jpg"],
  ["%2fetc%2fpasswd", "passwd.jpg"],
  ["a%00%0d%0ab", "ab.jpg"],
  ["..", "a.jpg"],
  ["Li4vLi4veA:1", "x.jpg"],
])("a name of an address is no path: %s", async (given, name) => {
  originOf(file(photo));
  const { delivery, pair, ask } = await deliveryWorld({ refine: false });
  const { signatureOf } = await import("../../src/delivery/signature.ts");
  const path = `/fn:${given}/att:1/f:jpg/plain/${PREFIX}a.jpg`;
  const answer = await ask(`/imgproxy/${delivery.id}/${await signatureOf(pair, path)}${path}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${name}"; filename*=UTF-8''${name}`);
});
