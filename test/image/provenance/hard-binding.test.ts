/** What hashes leave out of files: manifest stores, and nothing that anybody could put in their place. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { type Cbor, cborMap, decodeCbor, encodeCbor, Tagged } from "../../../src/image/provenance/cbor.ts";
import { failureOfBinding, outside } from "../../../src/image/provenance/hard-binding.ts";
import { Hasher } from "../../../src/image/provenance/hashing.ts";
import { jumbfBox, KIND, readJumbf, writeSuperbox } from "../../../src/image/provenance/jumbf.ts";
import { joined } from "../../../src/joined.ts";
import { fileOf, pngWith, storeWith, verified, written } from "../../support/signed-files.ts";

describe("what a hash leaves out", () => {
  const carrier = FORMATS.png.manifest;

  /** The PNG file with bytes put behind its store, in the chunk: what is left out is as long as before. */
  function withTail(byte: number): Uint8Array {
    const store = carrier.find(fileOf("png"))?.store;
    if (!store) throw new Error("no store");
    const shorter = written(readJumbf(store), (box) => {
      const bytes = box.kind === KIND.signature ? box.data[0]?.bytes : undefined;
      if (!bytes) return undefined;
      const cose = decodeCbor(bytes) as Tagged;
      const [headers, plain, payload, signature] = cose.value as [Cbor, Map<string, Cbor>, Cbor, Cbor];
      const pad = (plain.get("pad") as Uint8Array).subarray(100);
      const less = new Tagged(cose.tag, [headers, new Map([...plain, ["pad", pad]]), payload, signature]);
      return writeSuperbox(box.kind, box.label, jumbfBox(KIND.cbor, encodeCbor(less)));
    });
    return pngWith(joined([shorter, new Uint8Array(store.length - shorter.length).fill(byte)]));
  }

  it("is a store and zeros: the padding of a signature, which nobody has signed, is not made room for others", async () => {
    expect(await verified(withTail(0))).toMatchObject({ state: "trusted" });
    expect(await verified(withTail(1))).toMatchObject({ state: "invalid", failures: ["assertion.dataHash.mismatch"] });
  });

  it("is zeros in the padding itself", async () => {
    const file = pngWith(
      storeWith((box) => {
        const bytes = box.kind === KIND.signature ? box.data[0]?.bytes : undefined;
        if (!bytes) return undefined;
        const cose = decodeCbor(bytes) as Tagged;
        const [headers, plain, payload, signature] = cose.value as [Cbor, Map<string, Cbor>, Cbor, Cbor];
        const pad = (plain.get("pad") as Uint8Array).slice().fill(7);
        const other = new Tagged(cose.tag, [headers, new Map([...plain, ["pad", pad]]), payload, signature]);
        return writeSuperbox(box.kind, box.label, jumbfBox(KIND.cbor, encodeCbor(other)));
      }),
    );
    expect(await verified(file)).toMatchObject({ state: "invalid", failures: ["assertion.dataHash.mismatch"] });
  });

  it("is not more than the store, whatever the hash of the rest is", () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => index);
    const file = { bytes, ranges: [{ start: 10, length: 20 }], isPadded: true, parts: undefined };
    const failureOf = (...exclusions: readonly (readonly [number, number])[]) => {
      const ranges = exclusions.map(([start, length]) => ({ start, length }));
      const hash = new Hasher(64).hash("sha256", outside(bytes, ranges)) ?? new Uint8Array();
      const stated = ranges.map((range) => cborMap({ ...range }));
      const binding = cborMap({ exclusions: stated, alg: "sha256", hash });
      return failureOfBinding("c2pa.hash.data", binding, file, "sha256", new Hasher(64), false);
    };
    expect(failureOf([10, 20])).toBeUndefined();
    // RIFF pads a chunk of an odd length; its padding may be hashed.
    expect(failureOf([10, 19])).toBeUndefined();
    // Other parts may be left out besides: who has signed says so.
    expect(failureOf([0, 2], [10, 20], [40, 4])).toBeUndefined();
    for (const wrong of [
      [0, 30],
      [9, 21],
      [10, 21],
      [20, 20],
    ] as const)
      expect(failureOf(wrong)).toBe("assertion.dataHash.mismatch");
  });
});
