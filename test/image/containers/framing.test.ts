/** Files whose framing is made to cost are read or refused, and nothing in them is looked at for every other part. */
import { describe, expect, it } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { gif } from "../../../src/image/formats/gif.ts";
import { copiedItems } from "../../../src/image/formats/heif/copy.ts";
import { readItems } from "../../../src/image/formats/heif/items.ts";
import { jpeg } from "../../../src/image/formats/jpeg.ts";
import { svg } from "../../../src/image/formats/svg.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { joined } from "../../../src/joined.ts";
import picture from "../../fixtures/gif/transparent-index.gif";
import photo from "../../fixtures/jpeg/gray.jpg";
import { heifOfPieces } from "../../support/framed.ts";
import { FRAMINGS } from "../../support/hostile-framing.ts";

describe("framing that is made to cost", () => {
  it.each(Object.entries(FRAMINGS))("is read or refused: %s", (_, make) => {
    const bytes = make(1 << 14);
    try {
      const { format } = identify(bytes);
      format.mark?.read(bytes);
      const stripped = format.strip?.(bytes)?.file() ?? bytes;
      expect(identify(stripped).format).toBe(format);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      expect((error as ApiError).status).toBeOneOf([415, 422]);
    }
  });
});

describe("what would be compared with all the rest of a file", () => {
  it("is one mark of a JPEG file: behind another comment like it, a mark does not count", () => {
    const marked = jpeg.mark.write(new Uint8Array(photo), 80);
    const comment = Uint8Array.of(0xff, 0xfe, 0, 8, 0xda, 1, 2, 3, 4, 5);
    const twice = joined([marked.subarray(0, 2), comment, marked.subarray(2)]);
    expect(jpeg.mark.read(marked)).toBe(80);
    expect(jpeg.mark.read(twice)).toBeUndefined();
    expect(jpeg.strip(marked)?.file()).toEqual(marked);
    expect(jpeg.strip(twice)?.file()).toHaveLength(marked.length - 10);
  });

  it("is one mark of a GIF file: it is the last block", () => {
    const marked = gif.mark.write(new Uint8Array(picture), 80);
    const behind = joined([marked.subarray(0, -1), Uint8Array.of(0x21, 0xfe, 1, 65, 0, 0x3b)]);
    expect(gif.mark.read(marked)).toBe(80);
    expect(gif.strip(marked)?.file()).toEqual(marked);
    expect(gif.strip(behind)?.file()).toHaveLength(marked.length - 10);
  });

  it("is a bounded list of prefixes of a drawing, in which those count that stand for what is drawn", () => {
    const SVG = "http://www.w3.org/2000/svg";
    const drawing = (count: number, namespace: string) => {
      const prefixes = Array.from({ length: count }, (_, index) => ` xmlns:p${index}="${namespace}"`).join("");
      return new TextEncoder().encode(`<svg xmlns="${SVG}" width="3" height="2"${prefixes}><rect/></svg>`);
    };
    expect(svg.read.factsOf(drawing(30, SVG))).toMatchObject({ width: 3, height: 2 });
    expect(svg.read.factsOf(drawing(900, "elsewhere"))).toMatchObject({ width: 3, height: 2 });
    expect(() => svg.read.factsOf(drawing(31, SVG))).toThrow("too many elements");
  });

  it("is a bounded list of rules of a drawing", () => {
    const drawing = (count: number) => {
      const rules = Array.from({ length: count }, (_, index) => `.a${index}{fill:red}`).join("");
      return new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg"><style>${rules}</style></svg>`);
    };
    expect(svg.read.factsOf(drawing(10_000))).toMatchObject({ width: 300 });
    expect(() => svg.read.factsOf(drawing(10_001))).toThrow("too many elements");
  });

  it("is not the file once for every item of a HEIF file whose pieces overlap", () => {
    const copied = (count: number, share: number) => {
      const items = readItems(heifOfPieces(count, share));
      const all = Array.from({ length: count }, (_, index) => items.item(index + 1));
      return copiedItems(items, new Set(all)).items.map(({ data }) => data.length);
    };
    expect(copied(8, 1 / 8)).toEqual(Array(8).fill(64));
    expect(() => copied(8, 9 / 8)).toThrow("damaged");
    expect(() => copied(2_000, 1 / 2)).toThrow("share too many bytes");
    expect(() => copied(2_049, 1 / 2)).toThrow("too many items");
  });
});
