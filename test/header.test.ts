/** Headers of requests that are read, and those of answers that carry any name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { baseName } from "../src/files.ts";
import { contentDisposition, dispositionFileName, parseHeaderValue } from "../src/header.ts";

describe("parseHeaderValue", () => {
  it.each([
    ["text/plain", "text/plain", {}],
    [" Text/Plain ; Charset=UTF-8 ", "text/plain", { charset: "UTF-8" }],
    ["a; b=1; B=2;c = 3", "a", { b: "1", c: "3" }],
    ['a; b="x;y=z"; c="q\\"\\\\r"', "a", { b: "x;y=z", c: 'q"\\r' }],
    ['a; x="; boundary=evil"; boundary=real', "a", { x: "; boundary=evil", boundary: "real" }],
    ['a; b="no end', "a", { b: "no end" }],
    ['a; b="no end\\', "a", { b: '"no end\\' }],
    ["a;;; ; b c=d; =e; f; g=", "a", { g: "" }],
    ["", "", {}],
    [";", "", {}],
  ])("takes %j apart", (header, value, parameters) => {
    const parsed = parseHeaderValue(header);
    expect(parsed.value).toBe(value);
    expect(Object.fromEntries(parsed.parameters)).toEqual(parameters);
  });

  it("ends on anything", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(";", '"', "\\", "=", " ", "a", "\t")),
        (text) => void parseHeaderValue(text.join("")),
      ),
    );
    parseHeaderValue(`a; b="${"\\".repeat(100_001)}`);
    parseHeaderValue(`a${";".repeat(100_000)}`);
  });
});

describe("contentDisposition", () => {
  it("carries any name, in a header that can be sent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const header = contentDisposition("inline", name);
        expect(new Headers({ "content-disposition": header }).get("content-disposition")).toBe(header);
        expect(header).toMatch(/^[\u0020-\u007e]*$/);
        expect(dispositionFileName(parseHeaderValue(header))).toBe(baseName(name) || "image");
      }),
    );
  });

  it.each(["../../x", "..\\..\\x", "/x", "C:\\x", "a/../x"])("carries no path: %s", (name) => {
    expect(contentDisposition("attachment", name)).toBe("attachment; filename=\"x\"; filename*=UTF-8''x");
  });
});
