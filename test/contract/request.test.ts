/** Bodies of requests: what is taken, and the sentence with which the rest is refused. */
import { describe, expect, it } from "vitest";

import { FetchBody, parseBody, UploadBody } from "../../src/contract/request.ts";

/** The public sentence with which a body is refused. */
function refusal(schema: typeof FetchBody | typeof UploadBody, body: object): string {
  try {
    parseBody(schema, body);
  } catch (error) {
    expect(error).toMatchObject({ name: "ApiError", status: 422 });
    return (error as Error).message;
  }
  return "accepted";
}

describe("request bodies", () => {
  it("may list the sizes of an icon, also in one of several outputs", () => {
    const output = { format: "ico", sizes: [16, 32] };
    expect(parseBody(UploadBody, { output }).output?.sizes).toEqual([16, 32]);
    expect(parseBody(UploadBody, { outputs: { icon: { output } } }).outputs?.["icon"]?.output?.sizes).toEqual([16, 32]);
  });

  it.each<[object, string]>([
    [{ resize: { width: 0 } }, "resize.width must be a positive integer"],
    [{ resize: { width: 1.5 } }, "resize.width must be a positive integer"],
    [{ resize: { width: "12a" } }, "resize.width must be a positive integer"],
    [{ resize: { width: 99_999 } }, "resize.width must be at most 16384"],
    [{ upscale: { factor: "2" } }, "upscale.factor must be a positive integer"],
    [{ superres: { factor: "2" } }, "upscale.factor must be a positive integer"],
    [{ upscale: { factor: 0 } }, "upscale.factor must be a positive integer"],
    [{ upscale: { factor: 9 } }, "upscale.factor must be at most 8"],
    [{ scale: { size: "2" } }, "scale.size must be a number above 0 and at most 10"],
    [{ rotate: { angle: "90" } }, "rotate.angle must be an integer between 0 and 359"],
    [{ optimize: { quality: "80" } }, "optimize.quality must be an integer between 1 and 100"],
    [{ resize: {} }, "resize needs width or height"],
    [{ output: { sizes: [16], format: "png" } }, "output must have sizes with ico only"],
    [{ output: { sizes: [16, 16], format: "ico" } }, "output.sizes must name every size once"],
    [{ output: { sizes: [], format: "ico" } }, "output.sizes must be a list of 1 to 16 integers"],
    [{ output: { sizes: [257], format: "ico" } }, "output.sizes.0 must be an integer between 1 and 256"],
    [{ resize: [] }, "resize must not be a list"],
    [{ resize: { width: [1] } }, "resize.width must not be a list"],
    [{ resize: null }, "resize must be an object"],
    [{ resize: { width: 1, mode: "fit" } }, "resize needs width and height in the modes fit, fill, match and shape"],
    [{ resize: { width: 1, widht: 2 } }, "resize.widht is not a known parameter"],
    [{ "secret <token>": 1 }, "a member is not a known parameter"],
    [{ resize: { "secret <token>": 1 } }, "a member of resize is not a known parameter"],
    [{ cdn: { push: true } }, "cdn.push must be false: results are temporary here, or lie in a store of yours"],
    [{ cdn: { zone: "a" } }, "cdn.zone is not a known parameter"],
    [{ optimize: { quality: 101 } }, "optimize.quality must be an integer between 1 and 100"],
    [
      { optimize: { quality: 80, effort: "best" } },
      "optimize must have effort with a preset only: without one, no quality is searched for",
    ],
    [{ output: { name: "../up" } }, "output.name must be a file name without slashes and control characters"],
    [{ crop: { width: 1, height: 1, x: 3 } }, "crop needs x and y together"],
    [{ scale: {} }, "scale.size is required"],
    [{ padding: { color: "zz", background: "fff" } }, "background must not be given twice, by its name and an alias"],
    [{ padding: { color: "zzz" } }, "padding.background must be a hex color in the form RGB, RRGGBB or RRGGBBAA"],
  ])("refuse %j", (body, message) => {
    expect(refusal(UploadBody, body)).toBe(message);
  });

  it("pass over no member in silence, whatever its name", () => {
    const reserved = "must not have a member named constructor, prototype, __proto__";
    const url = "https://a.test/";
    expect(refusal(FetchBody, { url, headers: { constructor: "a" } })).toBe(`headers ${reserved}`);
    expect(refusal(FetchBody, JSON.parse('{"url":"https://a.test/","headers":{"__proto__":"a"}}') as object)).toBe(
      `headers ${reserved}`,
    );
    expect(refusal(UploadBody, { outputs: { prototype: {} } })).toBe(`outputs ${reserved}`);
    expect(refusal(UploadBody, { constructor: {} })).toBe("constructor is not a known parameter");
  });

  it("take widths as strings of digits", () => {
    expect(parseBody(UploadBody, { resize: { width: "640" } }).resize).toMatchObject({ width: 640, mode: "auto" });
  });

  it.each<[unknown, string]>([
    [undefined, "url is required"],
    ["ftp://example.com/a.jpg", "url must be a valid http or https URL, or <platform>:<user>"],
    ["javascript:alert(1)//", "url must be a valid http or https URL, or <platform>:<user>"],
    [7, "url must be a valid http or https URL, or <platform>:<user>"],
  ])("refuse the url %j", (url, message) => {
    expect(refusal(FetchBody, url === undefined ? {} : { url })).toBe(message);
  });

  it.each<[object, string]>([
    [{ "a b": "x" }, "a member of headers must be named like a header: letters, digits and !#$%&'*+.^_`|~-"],
    [{ "": "x" }, "a member of headers must be named like a header: letters, digits and !#$%&'*+.^_`|~-"],
    [{ Accept: "a\nb" }, "headers.Accept must be a header value"],
    [{ Accept: 1 }, "headers.Accept must be a text"],
  ])("refuse the headers %j", (headers, message) => {
    expect(refusal(FetchBody, { url: "https://example.com/a", headers })).toBe(message);
  });

  it("take what other services' clients say of a delivery network, as long as it asks for nothing", () => {
    expect(parseBody(UploadBody, { cdn: { push: false } }).cdn).toEqual({ push: false });
  });

  it("take profile pictures and credentials in URLs", () => {
    expect(parseBody(FetchBody, { url: "gravatar:a@example.com" }).url).toBe("gravatar:a@example.com");
    expect(parseBody(FetchBody, { url: "https://u:p@example.com/a" }).url).toBe("https://u:p@example.com/a");
  });

  it("name an alias only once and never run a prototype", () => {
    const body = JSON.parse('{"__proto__": {"resize": {"width": 1}}}') as object;
    expect(refusal(UploadBody, body)).toBe("__proto__ is not a known parameter");
  });
});
