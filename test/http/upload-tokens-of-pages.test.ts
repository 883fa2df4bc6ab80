/** Upload tokens in pages: which sites read the answers. */
import { beforeEach, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { openAccount } from "../support/accounts.ts";
import { type Answer, api } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { FILE, upload, uploadToken, WAYS } from "../support/upload-tokens.ts";

const ORIGIN = "https://app.example.com";

let key = "";
beforeEach(async () => {
  forgetKeys();
  ({ key } = await openAccount(100));
});

const grantsOf = ({ headers }: Answer) => [
  headers.get("access-control-allow-origin"),
  headers.get("vary"),
  headers.get("access-control-allow-credentials"),
];

it.each(WAYS)("pages that the token %s lists read every answer to it, and no others do", async (_, send) => {
  const token = await uploadToken(key, { origins: [ORIGIN, "http://localhost:3000"] });
  const statuses: number[] = [];
  const bad = [["file", new File([], "a.png")]] as const;
  for (const origin of [ORIGIN, "http://localhost:3000"]) {
    for (const parts of [bad, [FILE], [FILE]]) {
      const answer = await send(token, { headers: { origin }, parts });
      statuses.push(answer.status);
      expect(grantsOf(answer)).toEqual([origin, "Origin", null]);
    }
  }
  expect(statuses).toEqual([422, 200, 401, 401, 401, 401]);
  expect(grantsOf(await send(await uploadToken(key), { headers: { origin: ORIGIN } }))).toEqual([null, null, null]);
  expect(grantsOf(await upload(key, { headers: { origin: ORIGIN } }))).toEqual([null, null, null]);
  expect(grantsOf(await send("du_nonsense", { headers: { origin: ORIGIN } }))).toEqual([null, null, null]);
});

it.each(WAYS)(
  "an upload %s from a page that its token does not list takes no use, and its file is not read",
  async (_, send) => {
    const token = await uploadToken(key, { origins: [ORIGIN] });
    for (const origin of ["https://evil.test", "null", "https://app.example.com:8443"]) {
      let read = 0;
      const pipeline = {
        ...shortPipeline,
        process: async (...given: Parameters<typeof shortPipeline.process>) => {
          read += 1;
          return shortPipeline.process(...given);
        },
      };
      const { status, body, ...foreign } = await send(token, { headers: { origin }, pipeline });
      expect([status, body.message, read]).toEqual([403, "The upload token is for pages of other sites", 0]);
      expect(grantsOf({ status, body, ...foreign })).toEqual([null, null, null]);
    }
    // Its only use is left: for a page of its list, for the service's own, or for no page.
    expect((await send(token, { headers: { origin: "https://darkroom.test" } })).status).toBe(200);
    expect((await send(await uploadToken(key, { origins: [ORIGIN] }))).status).toBe(200);
  },
);

it.each<[string, (token: string) => { readonly headers: Record<string, string>; readonly sent: string }]>([
  ["as Bearer", (token) => ({ headers: { authorization: `Bearer ${token}` }, sent: "--b\r\n" })],
  [
    "as a part of the form",
    (token) => ({
      headers: {},
      sent: `--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n--b\r\n`,
    }),
  ],
])("of an upload %s from a foreign page nothing is read but what names the token", async (_, saying) => {
  const { headers, sent } = saying(await uploadToken(key, { origins: [ORIGIN] }));
  // What follows has no end, and would be refused for that.
  const body = `${sent}Content-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nand no end`;
  const call = { headers: { ...headers, "content-type": "multipart/form-data; boundary=b" }, body };
  const foreign = { ...call, headers: { ...call.headers, origin: "https://evil.test" } };
  expect((await api("POST", "/1.0/upload", foreign)).status).toBe(403);
  const own = { ...call, headers: { ...call.headers, origin: ORIGIN } };
  expect((await api("POST", "/1.0/upload", own)).status).toBe(400);
});

it("pages that ask before they send an upload ask neither the database nor a meter", async () => {
  const asked: string[] = [];
  const unasked = (name: string) => new Proxy({}, { get: (_, member) => asked.push(`${name}.${String(member)}`) });
  const bindings = Object.fromEntries(["DB", "METER", "BUCKET", "QUEUE"].map((name) => [name, unasked(name)]));
  const headers = { origin: "https://evil.test", "access-control-request-method": "POST" };
  const { status, body } = await api("OPTIONS", "/1.0/upload", { headers, env: bindings });
  expect([status, body, asked]).toEqual([204, undefined, []]);
});

it("pages may ask before they send an upload, and for nothing else", async () => {
  const headers = { origin: ORIGIN, "access-control-request-method": "POST" };
  const answer = await api("OPTIONS", "/1.0/upload", { headers });
  expect(answer.status).toBe(204);
  expect(grantsOf(answer)).toEqual([ORIGIN, "Origin", null]);
  expect(answer.headers.get("access-control-allow-methods")).toBe("POST");
  expect(answer.headers.get("access-control-allow-headers")).toBe("Authorization, Idempotency-Key, X-Service-Binary");
  for (const path of ["/1.0/fetch", "/1.0/upload-tokens", "/1.0/account"]) {
    expect(grantsOf(await api("OPTIONS", path, { headers }))[0]).toBeNull();
  }
});
