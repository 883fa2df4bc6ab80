/** Addresses of profile pictures. */
import { createHash } from "node:crypto";

import { afterEach, describe, expect, it, vi } from "vitest";

import { settingsOf } from "../../src/env.ts";
import { readOrigin } from "../../src/source/origin.ts";
import { refusal } from "../support/refusal.ts";

const read = (url: string, variables: object = {}) =>
  readOrigin({ url, headers: { "X-Custom": "1" } }, settingsOf({ ...variables }), 100_000);

/** Answers every call with an image, or with what `answers` has for the start of its URL. */
function platforms(answers: Readonly<Record<string, () => Response>> = {}) {
  const called = vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    const [, answer] = Object.entries(answers).find(([start]) => new Request(url).url.startsWith(start)) ?? [];
    return answer?.() ?? new Response("image");
  });
  return () =>
    called.mock.calls.map(([url, init]) => ({
      url: new Request(url).url,
      headers: new Headers(init?.headers),
      cache: init?.cache,
    }));
}

afterEach(() => void vi.restoreAllMocks());

describe("profile pictures", () => {
  const mailHash = createHash("sha256").update("jane@example.com").digest("hex");
  it.each([
    ["github:octo-cat", {}, "https://github.com/octo-cat.png?size=460"],
    ["GitHub:octo-cat", {}, "https://github.com/octo-cat.png?size=460"],
    ["gravatar:Jane@Example.com", {}, `https://gravatar.com/avatar/${mailHash}?d=404&s=2048`],
    ["facebook:4", { FACEBOOK_TOKEN: "a|b" }, "https://graph.facebook.com/4/picture?type=large&access_token=a%7Cb"],
    [
      "instagram:a.b_c",
      { PROFILE_URLS: '{"instagram":"https://pictures.example/i/{user}"}' },
      "https://pictures.example/i/a.b_c",
    ],
    [
      "x:jane",
      { PROFILE_URLS: '{"twitter":"https://pictures.example/{user}?again={user}"}' },
      "https://pictures.example/jane?again=jane",
    ],
    [
      "gravatar:a&b=$1@x.y",
      { PROFILE_URLS: '{"gravatar":"https://p.example/{user}"}' },
      "https://p.example/a%26b%3D%241%40x.y",
    ],
  ])("fetches %s, never from a cache, without the caller's headers", async (url, variables, address) => {
    const calls = platforms();
    expect((await read(url, variables)).bytes).toHaveLength(5);
    expect(calls()).toHaveLength(1);
    expect(calls()[0]).toMatchObject({ url: address, cache: "no-store" });
    expect(calls()[0]?.headers.has("x-custom")).toBe(false);
  });

  it.each(["twitter:jane", "x:jane"])("asks where the picture of %s is, and keeps the token to itself", async (url) => {
    const picture = "https://pbs.twimg.com/profile_images/1/a_normal.jpg";
    const calls = platforms({ "https://api.x.com/": () => Response.json({ data: { profile_image_url: picture } }) });
    const { name } = await read(url, { TWITTER_TOKEN: "secret" });
    const [asked, fetched] = calls();
    expect(asked?.url).toBe("https://api.x.com/2/users/by/username/jane?user.fields=profile_image_url");
    expect(asked?.headers.get("authorization")).toBe("Bearer secret");
    expect(fetched?.url).toBe("https://pbs.twimg.com/profile_images/1/a_400x400.jpg");
    expect(fetched?.headers.has("authorization")).toBe(false);
    expect(name).toBe("a_400x400.jpg");
  });

  it.each(["{}", '{"errors":[{}]}', '{"data":null}', '{"data":{"profile_image_url":5}}', "[]", "<html>"])(
    "refuses a user of whom the platform says %s",
    async (body) => {
      platforms({ "https://api.x.com/": () => new Response(body) });
      expect((await refusal(read("twitter:jane", { TWITTER_TOKEN: "t" }))).status).toBe(422);
    },
  );

  it("does not follow a platform into the private network", async () => {
    platforms({ "https://api.x.com/": () => Response.json({ data: { profile_image_url: "http://127.0.0.1/a" } }) });
    expect((await refusal(read("twitter:jane", { TWITTER_TOKEN: "t" }))).message).toContain("not public");
  });

  it.each(["facebook:4", "twitter:jane", "x:jane", "instagram:jane"])(
    "refuses %s when it is not set up",
    async (url) => {
      const platform = url.startsWith("x:") ? "twitter" : url.split(":")[0];
      expect(await refusal(read(url))).toEqual({
        status: 422,
        message: `Profile pictures from ${platform} are not available`,
      });
    },
  );

  it.each([
    "facebook:jane",
    "twitter:name-too-long-for-it",
    "twitter:a/b",
    "instagram:a b",
    "github:a_b",
    "github:../x",
    "gravatar:jane",
    "gravatar:a@b@c",
    "github:",
    "myspace:tom",
    "constructor:x",
    "__proto__:x",
    "ftp:x",
    "nonsense",
    ":x",
    "",
  ])("refuses %j without a call", async (url) => {
    const calls = platforms();
    const { status, message } = await refusal(read(url, { FACEBOOK_TOKEN: "t", TWITTER_TOKEN: "t" }));
    expect(status).toBe(422);
    expect(message).toMatch(/^url must /);
    expect(calls()).toHaveLength(0);
  });

  it("refuses a user whom the platform does not know", async () => {
    platforms({ "https://github.com/": () => new Response("Not Found", { status: 404 }) });
    expect(await refusal(read("github:nobody"))).toEqual({
      status: 422,
      message: "Unable to fetch image: origin answered 404",
    });
  });
});
