/** What hashes leave out of files: manifest stores, and nothing that anybody could put in their place. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../src/image/formats.ts";
import { type Cbor, cborMap, decodeCbor, encodeCbor, Tagged } from "../../../src/image/provenance/cbor.ts";
import { failureOfBinding, informationOfBinding, outside } from "../../../src/image/provenance/hard-binding.ts";
import { Hasher } from "../../../src/image/provenance/hashing.ts";
import { jumbfBox, KIND, readJumbf, writeSuperbox } from "../../../src/image/provenance/jumbf.ts";
import { chainOf, summaryOf } from "../../../src/image/provenance/report.ts";
import { joined } from "../../../src/joined.ts";
import { fileOf, pngWith, SIGNED_FILES, storeWith, verified, written } from "../../support/signed-files.ts";

describe("what a hash leaves out besides the store", () => {
  const file = { bytes: new Uint8Array(64), ranges: [{ start: 10, length: 20 }], isPadded: true, parts: undefined };
  const range = (start: number, length: number) => cborMap({ start, length });
  const box = (xpath: string, value?: string) =>
    cborMap({ xpath, ...(value && { data: [cborMap({ offset: 8, value: Uint8Array.fromHex(value) })] }) });
  const store = box("/uuid", "d8fec3d61b0e483c92975828877ec481");
  const part = (name: string, excluded?: true) => cborMap({ names: [name], ...(excluded && { excluded }) });
  const told: readonly (readonly [string, Cbor, boolean])[] = [
    ["c2pa.hash.data", cborMap({ exclusions: [range(10, 20)] }), false],
    ["c2pa.hash.data", cborMap({ exclusions: [range(10, 19)] }), false],
    ["c2pa.hash.data", cborMap({ exclusions: [range(10, 10), range(20, 10)] }), false],
    // Before an update made it longer.
    ["c2pa.hash.data__1", cborMap({ exclusions: [range(10, 20), range(40, 0)] }), false],
    ["c2pa.hash.data", cborMap({ exclusions: [range(0, 2), range(10, 20)] }), true],
    ["c2pa.hash.data", cborMap({ exclusions: [range(10, 20), range(30, 1)] }), true],
    ["c2pa.hash.bmff.v3", cborMap({ exclusions: [store, box("/ftyp"), box("/mfra")] }), false],
    ["c2pa.hash.bmff", cborMap({ exclusions: [store, box("/ftyp"), box("/meta/iloc")] }), false],
    ["c2pa.hash.bmff.v2", cborMap({ exclusions: [store, box("/ftyp"), box("/meta/iloc")] }), true],
    ["c2pa.hash.bmff.v3", cborMap({ exclusions: [store, box("/ftyp"), box("/mfra"), box("/free")] }), true],
    ["c2pa.hash.bmff", cborMap({ exclusions: [store, box("/ftyp"), box("/mdat")] }), true],
    ["c2pa.hash.bmff.v2", cborMap({ exclusions: [box("/uuid"), box("/ftyp")] }), true],
    ["c2pa.hash.boxes", cborMap({ boxes: [part("SOI"), part("C2PA", true), part("APP1")] }), false],
    ["c2pa.hash.boxes", cborMap({ boxes: [part("SOI"), part("C2PA"), part("APP1", true)] }), true],
  ];

  it.for(told)("is told as the standard does, and is no failure: %s", ([label, binding, isTold]) => {
    const [, kind] = /^c2pa\.hash\.(data|bmff|boxes)/.exec(label) ?? [];
    const word = `assertion.${kind}Hash.additionalExclusionsPresent`;
    expect(informationOfBinding(label, binding, file)).toBe(isTold ? word : undefined);
  });

  it("is told of files, as the reference implementation tells it of its own", async () => {
    const others: Readonly<Record<string, string>> = { avif: "bmffHash", heic: "bmffHash", tiff: "dataHash" };
    for (const name of Object.keys(SIGNED_FILES)) {
      const found = await verified(fileOf(name));
      const hash = others[name];
      const informational = hash ? [`assertion.${hash}.additionalExclusionsPresent`] : undefined;
      expect(found && summaryOf(found).informational).toEqual(informational);
      expect(found && chainOf(found).manifests[0]?.informational).toEqual(informational);
      expect(found?.state).toBe("trusted");
    }
  });
});

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
      return failureOfBinding("c2pa.hash.data", binding, {
        file,
        algorithm: "sha256",
        hasher: new Hasher(64),
        isUpdated: false,
      });
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
