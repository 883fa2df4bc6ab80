/** Images are fetched from origins that behave and from those that do not. */
import { afterEach, describe, expect, inject, it, vi } from "vitest";

import { type Settings, settingsOf } from "../../src/env.ts";
import { ApiError } from "../../src/errors.ts";
import { readOrigin } from "../../src/source/origin.ts";
import { roomy } from "../support/memory.ts";
import { refusal } from "../support/refusal.ts";

const ORIGIN = inject("origin");
const OTHER = inject("otherOrigin");
const LIMIT = 100_000;
const IMAGE = "an image, as far as the origin knows";

const settings = (variables: object = {}): Settings => settingsOf({ ALLOW_PRIVATE_ORIGINS: "true", ...variables });

const read = (url: string, headers: Record<string, string> = {}, timeoutMs = 10_000, variables: object = {}) =>
  readOrigin({ url: url.startsWith("/") ? ORIGIN + url : url, headers }, settings(variables), LIMIT, { timeoutMs });

const redirect = (to: string, code = 302) => `/redirect?code=${code}&to=${encodeURIComponent(to)}`;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The headers of the last call, as the origin saw them. */
async function seen(url: string, headers?: Record<string, string>): Promise<Record<string, string>> {
  const { bytes } = await read(url, headers);
  return JSON.parse(text(bytes)) as Record<string, string>;
}

afterEach(() => void vi.restoreAllMocks());

describe("readOrigin", () => {
  it.each(["/image", "/chunked", "/coded?coding=gzip", "/coded?coding=identity"])("reads %s", async (path) => {
    const { bytes } = await read(path);
    expect(text(bytes)).toBe(IMAGE);
  });

  it("holds an image of announced length in one buffer of its size", async () => {
    const { bytes } = await read("/image");
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  });

  it.each([
    ["/image", IMAGE.length],
    ["/chunked", LIMIT],
    ["/coded?coding=gzip", LIMIT],
  ])("sets room aside before it reads %s, and keeps that of the image", async (path, expected) => {
    const memory = roomy();
    const take = vi.spyOn(memory, "take");
    const original = await readOrigin({ url: ORIGIN + path, headers: {} }, settings(), LIMIT, { memory });
    expect(take.mock.calls.map(([bytes]) => bytes)).toEqual([expected]);
    expect(memory.held()).toBe(original.bytes.buffer.byteLength);
    original.memory.release();
    expect(memory.held()).toBe(0);
  });

  it("stops, and holds nothing any more, when nobody waits for the image", async () => {
    const memory = roomy();
    const caller = new AbortController();
    const reading = readOrigin({ url: `${ORIGIN}/stall`, headers: {} }, settings(), LIMIT, {
      memory,
      signal: caller.signal,
    });
    setTimeout(() => caller.abort(), 20);
    expect((await refusal(reading)).status).toBe(422);
    expect(memory.held()).toBe(0);
  });

  it("reads nothing where there is no room, and says so with 503", async () => {
    const take = () => Promise.reject(new ApiError(503, "No capacity"));
    const target = { url: `${ORIGIN}/image`, headers: {} };
    expect((await refusal(readOrigin(target, settings(), LIMIT, { memory: { take } }))).status).toBe(503);
  });

  it("introduces itself, and says what it takes", async () => {
    const headers = await seen("/headers");
    expect(headers["user-agent"]).toBe("Service/1.0");
    expect(headers["accept"]).toContain("image/");
    expect(headers["accept-encoding"]).toBe("identity");
  });

  it("takes nothing from a cache that other callers fill", async () => {
    const called = vi.spyOn(globalThis, "fetch");
    await read(redirect("/image"));
    expect(called.mock.calls.map(([, init]) => init?.cache)).toEqual(["no-store", "no-store"]);
  });

  it("sends the caller's headers instead of its own", async () => {
    const given = {
      "User-Agent": "Mine/2",
      Accept: "image/png",
      "X-Custom": "a b",
      Host: new URL(ORIGIN).host,
      "Accept-Encoding": "br",
    };
    const headers = await seen("/headers", given);
    expect(headers).toMatchObject({
      "user-agent": "Mine/2",
      accept: "image/png",
      "x-custom": "a b",
      "accept-encoding": "identity",
    });
  });

  it.each(["Connection", "Transfer-Encoding", "Content-Length", "TE", "Upgrade", "Proxy-Authorization"])(
    "refuses the header %s",
    async (name) => {
      expect(await refusal(read("/image", { [name]: "x" }))).toEqual({
        status: 422,
        message: `headers.${name.toLowerCase()} must not be set`,
      });
    },
  );

  it("refuses another host than that of the URL, and headers that are none", async () => {
    expect((await refusal(read("/image", { host: "other.example" }))).message).toBe(
      "headers.host must be the host of url",
    );
    expect((await refusal(read("/image", { "a b": "x" }))).status).toBe(422);
    expect((await refusal(read("/image", { a: "x\r\ny: z" }))).status).toBe(422);
  });

  it("turns credentials of the URL into Basic authentication", async () => {
    const url = ORIGIN.replace("//", "//us%40er:p%C3%A4ss%3A@");
    const headers = await seen(`${url}/headers?q=1#fragment`);
    expect(headers["authorization"]).toBe(`Basic ${Buffer.from("us@er:päss:").toString("base64")}`);
    expect(headers[":path"]).toBe("/headers?q=1");
    const bearer = await seen(`${url}/headers`, { Authorization: "Bearer x" });
    expect(bearer["authorization"]).toBe("Bearer x");
  });

  it("never names credentials or addresses in a refusal", async () => {
    const url = ORIGIN.replace("//", "//user:secret-word@");
    const { message } = await refusal(read(`${url}/status?code=401`));
    expect(message).toBe("Unable to fetch image: origin answered 401");
  });

  it.each([301, 302, 303, 307, 308])("follows a redirect with %i", async (code) => {
    expect(text((await read(redirect("/image", code))).bytes)).toBe(IMAGE);
  });

  it("follows five redirects and not six", async () => {
    expect(text((await read("/loop?left=5")).bytes)).toBe(IMAGE);
    expect((await refusal(read("/loop?left=6"))).message).toBe(
      "Unable to fetch image: origin redirects more than 5 times",
    );
  });

  it("keeps headers and credentials on a redirect within the origin", async () => {
    const url = `${ORIGIN.replace("//", "//u:p@")}${redirect("/headers")}`;
    const headers = await seen(url, { "X-Custom": "1" });
    expect(headers).toMatchObject({ "x-custom": "1", authorization: "Basic dTpw" });
  });

  it("drops headers and credentials for good on a redirect to another origin", async () => {
    const url = ORIGIN.replace("//", "//u:p@");
    const custom = { "X-Custom": "1", Cookie: "a=b", "User-Agent": "Mine/2" };
    for (const path of [redirect(`${OTHER}/headers`), redirect(OTHER + redirect(`${ORIGIN}/headers`))]) {
      const headers = await seen(url + path, custom);
      expect(headers["x-custom"]).toBeUndefined();
      expect(headers["authorization"]).toBeUndefined();
      expect(headers["cookie"]).toBeUndefined();
      expect(headers["user-agent"]).toBe("Service/1.0");
    }
  });

  it("takes no credentials from a redirect", async () => {
    const headers = await seen(redirect(`${OTHER.replace("//", "//u:p@")}/headers`));
    expect(headers["authorization"]).toBeUndefined();
  });

  it.each(["ftp://example.com/a", "file:///etc/passwd", "data:image/png;base64,AA==", "javascript:1", "http://", ""])(
    "refuses a redirect to %j",
    async (to) => {
      expect((await refusal(read(redirect(to)))).status).toBe(422);
    },
  );

  it.each([204, 300, 304, 400, 401, 404, 500, 503])(
    "refuses an origin that answers %i, without its words",
    async (code) => {
      const { status, message } = await refusal(read(`/status?code=${code}`));
      expect(status).toBe(422);
      expect(message).toMatch(code === 204 ? /sent no image$/ : new RegExp(`origin answered ${code}$`));
    },
  );

  it.each(["/empty", "/short", "/cut", "/coded?coding=zstd", "/coded?coding=gzip,%20br"])(
    "refuses %s with 422",
    async (path) => {
      expect((await refusal(read(path))).status).toBe(422);
    },
  );

  it.each(["/short", "/cut"])("says that %s broke off, not that nobody was there", async (path) => {
    expect(await refusal(read(path))).toEqual({
      status: 422,
      message: "Unable to fetch image: origin broke off its answer",
    });
  });

  it("refuses an origin that is not there", async () => {
    expect(await refusal(read("http://127.0.0.1:1/"))).toEqual({
      status: 422,
      message: "Unable to fetch image: origin is not reachable",
    });
  });

  it.each(["/huge?length=100001", "/huge?length=99999999999999", "/endless", "/bomb"])(
    "refuses %s with 413",
    async (path) => {
      expect(await refusal(read(path))).toEqual({
        status: 413,
        message: `Image exceeds the maximum size of ${LIMIT} bytes`,
      });
    },
  );

  it("hangs up on an origin that sends too much", async () => {
    await refusal(read("/endless"));
    expect(text((await read("/ended")).bytes)).toBe(IMAGE);
  });

  it.each(["/silent", "/stall", redirect("/silent"), redirect("/stall")])(
    "gives up on %s at the deadline",
    async (path) => {
      expect(await refusal(read(path, {}, 50))).toEqual({
        status: 422,
        message: "Unable to fetch image: origin took too long",
      });
    },
  );

  it.each([
    ["/image", "image"],
    ["/image/K%C3%A4se%20brot.png?x=/y.gif", "Käse brot.png"],
    ["/image/a%2F..%2Fb.png", "b.png"],
    ["/image/bad%ZZ.png", "bad%ZZ.png"],
    ["/image/", ""],
    [redirect("/image/target.png"), "redirect"],
    [`/named/x.png?disposition=${encodeURIComponent('attachment; filename="../b.png"')}`, "b.png"],
    [`/named/x.png?disposition=${encodeURIComponent("inline; filename*=UTF-8''%C3%BC.png")}`, "ü.png"],
    ["/named/x.png?disposition=inline", "x.png"],
    [`/raw-name?name=${encodeURIComponent("Käse.png")}`, "Käse.png"],
  ])("names what %s gives %j", async (path, name) => {
    expect((await read(path)).name).toBe(name);
  });
});

describe("the guard of addresses", () => {
  const closed = { ALLOW_PRIVATE_ORIGINS: "false" };

  it.each([
    "http://127.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://localhost:8787/",
    "http://metadata.google.internal./",
  ])("refuses %s before anything is sent", async (url) => {
    const called = vi.spyOn(globalThis, "fetch");
    expect(await refusal(read(url, {}, 1_000, closed))).toEqual({
      status: 422,
      message: "Unable to fetch image: its address is not public",
    });
    expect(called).not.toHaveBeenCalled();
  });

  it("judges each redirect again", async () => {
    const called = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation(
        async () => new Response("moved", { status: 302, headers: { location: "http://169.254.169.254/latest" } }),
      );
    expect((await refusal(read("https://example.com/", {}, 1_000, closed))).message).toContain("not public");
    expect(called).toHaveBeenCalledTimes(1);
  });

  it("drops headers when a redirect leaves https", async () => {
    const called = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation(async (url) =>
        new Request(url).url.startsWith("https:") ? Response.redirect("http://example.com/a", 301) : new Response("x"),
      );
    await read("https://u:p@example.com/a", { "X-Custom": "1" }, 1_000, closed);
    const [first, second] = called.mock.calls.map(([, init]) => new Headers(init?.headers));
    expect(first?.get("x-custom")).toBe("1");
    expect(first?.has("authorization")).toBe(true);
    expect(second?.has("x-custom")).toBe(false);
    expect(second?.has("authorization")).toBe(false);
  });
});
