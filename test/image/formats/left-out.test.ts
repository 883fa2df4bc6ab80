/** A deployment without a format recognizes its files and refuses them by name. */
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import * as leftOut from "../../../src/image/formats/left-out.ts";
import heicFile from "../../fixtures/heic/gray.heic";

const { lettering, ...stubs } = leftOut;
const STUBS = Object.entries<FormatDefinition>(stubs);

describe("a format that is left out", () => {
  it.each(STUBS)("is recognized, refused by name, and not written: %s", (name, stub) => {
    const row: FormatDefinition = FORMATS[name as keyof typeof FORMATS];
    const { label, mime, extensions, otherExtensions } = row;
    expect(stub).toMatchObject({ label, mime, extensions, ...(otherExtensions && { otherExtensions }) });
    expect(stub.signature).toBe(row.signature);
    expect(stub.write).toBeUndefined();
    expect(() => stub.read.factsOf(new Uint8Array(0))).toThrow(`This deployment does not read ${row.label}`);
  });

  it("takes text along with the renderer that draws it", () => {
    expect(() => lettering.familyOf()).toThrow("text cannot be drawn by this deployment");
  });

  it("is recognized by its signature", () => {
    expect(leftOut.heic.signature(new Uint8Array(heicFile))).toBe(true);
  });
});
