/** Documents are read as XML says, within bounds, and what reading them holds is told before. */
import { describe, expect, it } from "vitest";

import { svg } from "../../../../src/image/formats/svg.ts";
import { cleanSvg } from "../../../../src/image/formats/svg/clean.ts";
import { writtenSvg } from "../../../../src/image/formats/svg/tree.ts";
import { marksOf, readingEstimate } from "../../../../src/image/formats/svg/weight.ts";
import { readHeaders } from "../../../../src/image/plan/detect.ts";
import { isolateBudget } from "../../../../src/scheduler/budget.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"';
const document = (body: string, subset = "") =>
  bytesOf(`${subset && `<!DOCTYPE svg [${subset}]>`}<svg ${NAMESPACE}>${body}</svg>`);
const read = (body: string, subset = "") =>
  writtenSvg(cleanSvg(document(body, subset)).root).replace(/^<svg [^>]*>|<\/svg>$/g, "");

describe("a document", () => {
  it("is written with no namespace that it does not use", () => {
    const plain = `<svg ${NAMESPACE}><rect width="1"/></svg>`;
    const linked = `<svg ${NAMESPACE} xmlns:xlink="http://www.w3.org/1999/xlink"><use xlink:href="#a"/><g id="a"/></svg>`;
    for (const text of [plain, linked]) expect(writtenSvg(cleanSvg(bytesOf(text)).root)).toBe(text);
  });

  it.each([
    ["elements", `<!ENTITY a "<g id='b'><rect width='1'/></g>">`, "&a;", '<g id="b"><rect width="1"/></g>'],
    ["entities with elements", `<!ENTITY a "<g/>"><!ENTITY b "<g>&a;&a;</g>">`, "&b;", "<g><g/><g/></g>"],
    ["what is in attributes", `<!ENTITY a "re&b;"><!ENTITY b "d">`, '<g fill="&a;"/>', '<g fill="red"/>'],
    ["the first of two", `<!ENTITY a "<g/>"><!ENTITY a "<a/>">`, "&a;", "<g/>"],
    [
      "signs of its own",
      `<!ENTITY a "&#60;g/>"><!ENTITY b "a > b ] '">`,
      "&a;<text>&b;</text>",
      "<g/><text>a &gt; b ] '</text>",
    ],
  ])("may have entities for %s", (_name, subset, body, expected) => {
    expect(read(body, subset)).toBe(expected);
  });

  it("has two thousand elements of entities at most", () => {
    const subset = '<!ENTITY a "<g/><g/>">';
    expect(read("&a;".repeat(1_000), subset)).toBe("<g/>".repeat(2_000));
    expect(() => read("&a;".repeat(1_001), subset)).toThrow("too many elements");
  });

  it.each([
    ["a circle", `<!ENTITY a "&b;"><!ENTITY b "&a;">`, "<text>&a;</text>"],
    ["an element that is not closed", `<!ENTITY a "<g>">`, "&a;</g>"],
    ["an element that was open before", `<!ENTITY a "</g>">`, "<g>&a;"],
    ["elements in an attribute", `<!ENTITY a "<g/>">`, '<g fill="&a;"/>'],
    ["a parameter", `<!ENTITY a "%b;">`, "&a;"],
    ["no meaning", "", "<text>&a;</text>"],
    ["no end", "", "<text>&amp</text>"],
    ["a name of an object", "", "<text>&constructor;</text>"],
  ])("is refused with an entity of %s", (_name, subset, body) => {
    expect(() => read(body, subset)).toThrow(/not well-formed/);
  });

  it("is refused where its entities add too much", () => {
    const levels = Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(9)}">`);
    expect(() => read("&a9;", `<!ENTITY a0 "<g/>">${levels.join("")}`)).toThrow(/too much text/);
    expect(() => read("&a;".repeat(250_000), '<!ENTITY a "">')).toThrow(/too much text/);
  });

  it.each([
    ["two roots", `<svg ${NAMESPACE}/><svg ${NAMESPACE}/>`],
    ["text behind it", `<svg ${NAMESPACE}/>a`],
    ["an attribute twice", `<svg ${NAMESPACE} width="1" width="1"/>`],
    ["attributes without a blank", `<svg ${NAMESPACE} width="1"height="1"/>`],
    ["an attribute without quotes", `<svg ${NAMESPACE} width=1/>`],
    ["a mark in an attribute", `<svg ${NAMESPACE} id="<"/>`],
    ["another end", `<svg ${NAMESPACE}><g></a></svg>`],
    ["a longer end", `<svg ${NAMESPACE}><g></g1></svg>`],
    ["no end", `<svg ${NAMESPACE}><g>`],
    ["a comment without an end", `<svg ${NAMESPACE}><!-- </svg>`],
    ["a sign that no document has", `<svg ${NAMESPACE}>\u0001</svg>`],
    ["a reference to such a sign", `<svg ${NAMESPACE}><text>&#1;</text></svg>`],
    ["the end of CDATA in text", `<svg ${NAMESPACE}><text>]]></text></svg>`],
  ])("is refused with %s", (_name, text) => {
    expect(() => cleanSvg(bytesOf(text))).toThrow(/not well-formed/);
  });

  it("has line ends and blanks as XML says", () => {
    expect(read('<g id="a\r\n\tb"/><text>a\r\nb\rc<![CDATA[<&\r\n]]></text>')).toBe(
      '<g id="a  b"/><text>a\nb\nc&lt;&amp;\n</text>',
    );
  });
});

describe("what reading a document holds", () => {
  it("is told by its marks", () => {
    const marks = marksOf(document('<g style="fill:red;stroke:red"/><text fill="#123">a</text><style>a{b:c}</style>'));
    // That of the namespace has a colon, too.
    expect(marks).toMatchObject({ elements: 4, contents: 3, attributes: 3, references: 1, declarations: 4, rules: 1 });
  });

  it("is asked for before it is read, where it is more than any headers hold", async () => {
    const many = document("<g/>".repeat(20_000));
    const { bytes } = readingEstimate(marksOf(many));

    const reading = readHeaders(many);
    // The reader has its turn in a moment; what it was given is held from now on.
    const heldBytes = isolateBudget.held.work;
    const { facts } = await reading;
    expect(heldBytes).toBe(bytes);
    expect(isolateBudget.held.work).toBe(0);
    expect(facts).toEqual(svg.read.factsOf(many));
  });

  it("is no work for small documents", async () => {
    const reading = readHeaders(document("<g/>".repeat(500)));
    expect(isolateBudget.held.work).toBe(0);
    await reading;
  });

  it.each([
    ["more selectors than are compared", `<style>${"a,".repeat(20_000)}b{fill:red}</style>`],
    ["a selector that is too long", `<style>${"a ".repeat(60_000)}{fill:red}</style>`],
    ["a value that is too long", `<g transform="${"scale(1)".repeat(10_000)}"/>`],
    ["a value of too many parts", `<g style="transform:${"scale(1)".repeat(20_000)}"/>`],
    [
      "more attributes of an element than are read",
      `<g ${Array.from({ length: 1_001 }, (_, at) => `a${at}=""`).join(" ")}/>`,
    ],
  ])("is bounded: %s", (_name, body) => {
    expect(() => svg.read.factsOf(document(body))).toThrow(/too (?:much|many)/);
  });
});
