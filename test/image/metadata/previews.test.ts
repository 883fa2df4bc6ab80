/** Metadata shows nothing of the original, which may have been cut, or redacted, since. */
import { expect, it } from "vitest";

import { keptMetadata } from "../../../src/image/metadata/blocks.ts";

/** The beginning of a JPEG file. */
const PREVIEW = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, ...Array<number>(99).fill(7)).toBase64();
const NESTED = '<rdf:Bag><rdf:li rdf:parseType="Resource">';
const NAMES = Object.entries({
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  xmp: "http://ns.adobe.com/xap/1.0/",
  g: "http://ns.adobe.com/xap/1.0/g/img/",
  m: "http://ns.adobe.com/xap/1.0/mm/",
  own: "http://own.test/",
  dc: "http://purl.org/dc/elements/1.1/",
})
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(" ");

it.each([
  [
    "a pantry",
    `<m:Pantry>${NESTED}<xmp:Thumbnails><rdf:li>SEEN</rdf:li></xmp:Thumbnails></rdf:li></rdf:Bag></m:Pantry>`,
  ],
  ["a structure", `<own:a>${NESTED}<g:image>SEEN</g:image><own:b>kept</own:b></rdf:li></rdf:Bag></own:a>`],
  ["an attribute of a structure", '<own:a><rdf:Bag><rdf:li g:image="SEEN"/></rdf:Bag></own:a>'],
  ["a text", `<own:a><rdf:Bag><rdf:li>\n${PREVIEW}</rdf:li></rdf:Bag></own:a>`],
  ["an attribute", "", ` own:a="${PREVIEW}"`],
  ["a property", "<g:image>SEEN</g:image>"],
  ["data", "<own:a>data:image/avif;base64,SEEN</own:a>"],
])("no picture is kept in XMP: %s", (_, body, attributes = "") => {
  const description = `<rdf:Description rdf:about="" dc:rights="(c) Ann"${attributes}>${body}</rdf:Description>`;
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${NAMES}>${description}</rdf:RDF></x:xmpmeta>`;
  for (const option of ["all", "no-location"] as const) {
    const kept = new TextDecoder().decode(keptMetadata({ xmp: new TextEncoder().encode(packet) }, option).xmp);
    expect(kept).toContain("(c) Ann");
    expect(kept.includes("kept")).toBe(body.includes("kept"));
    expect(kept).not.toContain("SEEN");
    expect(kept).not.toContain(PREVIEW.slice(20, 60));
  }
});
