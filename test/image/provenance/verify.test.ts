/** Manifest stores read and verified: files that the reference implementation has signed, and what is done to them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Cbor, decodeCbor, encodeCbor, Tagged } from "../../../src/image/provenance/cbor.ts";
import { readPem } from "../../../src/image/provenance/certificate.ts";
import { jumbfBox, KIND, writeSuperbox } from "../../../src/image/provenance/jumbf.ts";
import { chainOf, summaryOf } from "../../../src/image/provenance/report.ts";
import { verifyFile } from "../../../src/image/provenance/verify.ts";
import { joined } from "../../../src/joined.ts";
import { MANIFESTS } from "../../support/hostile-manifests.ts";
import {
  ANCHORS,
  fileOf,
  formatOf,
  NOW,
  pngWith,
  SIGNED_FILES,
  storeWith,
  verified,
} from "../../support/signed-files.ts";
import { AUTHORITY } from "../../support/test-signers.ts";

const TRAINED = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";

describe("a file that the reference implementation has signed", () => {
  it.for(Object.keys(SIGNED_FILES))("is trusted by its anchor: %s", async (name) => {
    const found = await verified(fileOf(name));
    const { informational: _, ...summary } = (found && summaryOf(found)) ?? {};
    expect(summary).toEqual({
      manifest: true,
      generator: "reference 1",
      signer: "Darkroom test signer",
      digital_source_type: TRAINED,
      state: "trusted",
      failures: [],
    });
    expect(found && chainOf(found).manifests).toMatchObject([
      { trusted: true, actions: [{ action: "c2pa.created", digital_source_type: TRAINED }], ingredients: [] },
    ]);
  });

  it.for(Object.keys(SIGNED_FILES))("is valid where nobody is trusted: %s", async (name) => {
    const found = await verified(fileOf(name), []);
    expect(found).toMatchObject({ state: "valid", failures: ["signingCredential.untrusted"] });
  });

  it.for(Object.keys(SIGNED_FILES))("is invalid where a byte of the picture has changed: %s", async (name) => {
    const file = fileOf(name).slice();
    const format = formatOf(file);
    const [range] = format.manifest?.find(file)?.ranges ?? [];
    // The last byte of the picture, or of SVG the width: no box, chunk or block becomes another.
    const at =
      name === "svg"
        ? indexOf(file, "24")
        : range && range.start + range.length < file.length - 40
          ? file.length - 9
          : 30;
    file.set([(file[at] ?? 0) ^ 1], at);
    const found = await verified(file);
    const binding = { avif: "bmffHash", heic: "bmffHash" }[name] ?? "dataHash";
    expect(found).toMatchObject({ state: "invalid", failures: [`assertion.${binding}.mismatch`] });
  });

  it("is invalid from when its certificate has expired, and before it was issued", async () => {
    for (const year of ["2020", "2199"]) {
      const found = await verified(fileOf("jpeg"), ANCHORS, Date.parse(`${year}-01-01T00:00:00Z`));
      expect(found?.state).toBe("invalid");
      expect(found?.failures).toContain("signingCredential.expired");
    }
  });

  it("is not trusted by somebody else who has the same name", async () => {
    const [own] = ANCHORS;
    const [other] = readPem(AUTHORITY);
    if (!own || !other) throw new Error("no anchors");
    const key = { ...other.key, whole: other.key.whole.slice() };
    key.whole.set([(key.whole.at(-1) ?? 0) ^ 1], key.whole.length - 1);
    const found = await verified(fileOf("png"), [{ ...own, key }]);
    expect(found).toMatchObject({ state: "valid", failures: ["signingCredential.untrusted"] });
  });
});

function indexOf(file: Uint8Array, text: string): number {
  return new TextDecoder("latin1").decode(file).indexOf(text);
}

function withClaim(change: (claim: Map<string, Cbor>) => void): Uint8Array {
  return pngWith(
    storeWith((box) => {
      const bytes = box.kind === KIND.claim ? box.data[0]?.bytes : undefined;
      if (!bytes) return undefined;
      const claim = new Map(decodeCbor(bytes) as Map<string, Cbor>);
      change(claim);
      return writeSuperbox(box.kind, box.label, jumbfBox(KIND.cbor, encodeCbor(claim)));
    }),
  );
}

describe("a store that was changed", () => {
  it("is what it was where its boxes are written again", async () => {
    expect((await verified(pngWith(storeWith(() => undefined))))?.failures).toEqual([]);
  });

  const without = (kind: string) => pngWith(storeWith((box) => (box.kind === kind ? new Uint8Array() : undefined)));

  it("says by the word of the standard what is missing", async () => {
    expect((await verified(without(KIND.claim)))?.failures).toEqual(["claim.missing"]);
    expect((await verified(without(KIND.signature)))?.failures).toContain("claimSignature.missing");
    expect((await verified(without(KIND.assertions)))?.failures).toContain("assertion.missing");
    expect((await verified(without(KIND.assertions)))?.failures).toContain("claim.hardBindings.missing");
  });

  it("says that the claim is not what was signed", async () => {
    const found = await verified(withClaim((claim) => claim.set("dc:title", "another")));
    expect(found?.state).toBe("invalid");
    expect(found?.failures).toContain("claimSignature.mismatch");
  });

  it("says that an assertion is not what was claimed, and which is not claimed at all", async () => {
    const added = jumbfBox(KIND.cbor, encodeCbor(new Map([["a", 1]])));
    const more = pngWith(
      storeWith((box) =>
        box.kind === KIND.assertions
          ? writeSuperbox(
              box.kind,
              box.label,
              ...box.boxes.map(({ whole }) => whole),
              writeSuperbox(KIND.cbor, "c.more", added),
            )
          : undefined,
      ),
    );
    expect((await verified(more))?.failures).toContain("assertion.undeclared");
    const changed = pngWith(
      storeWith((box) =>
        box.label.startsWith("c2pa.actions")
          ? writeSuperbox(box.kind, box.label, jumbfBox(KIND.cbor, encodeCbor(new Map())))
          : undefined,
      ),
    );
    expect((await verified(changed))?.failures).toEqual(
      expect.arrayContaining(["assertion.hashedURI.mismatch", "assertion.action.malformed"]),
    );
  });

  it("may leave out assertions of ingredients, not its own", async () => {
    const found = await verified(
      withClaim((claim) => claim.set("redacted_assertions", ["self#jumbf=c2pa.assertions/c2pa.actions.v2"])),
    );
    expect(found?.failures).toContain("assertion.selfRedacted");
    expect(found?.failures).toContain("assertion.action.redacted");
  });
});

/** Boxes one in the other. */
function nested(depth: number): Uint8Array {
  let box = writeSuperbox(KIND.manifest, "deepest");
  for (let level = 0; level < depth; level++) box = writeSuperbox(KIND.manifest, `m${level}`, box);
  return box;
}

const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  "boxes that lie deep": () => writeSuperbox(KIND.store, "c2pa", nested(2_000)),
  "boxes without end": () =>
    writeSuperbox(KIND.store, "c2pa", ...Array.from({ length: 20_000 }, () => jumbfBox("free"))),
  "a store of 5 MB": () => writeSuperbox(KIND.store, "c2pa", jumbfBox("free", new Uint8Array(5 << 20))),
  "a box longer than the store": () => {
    const store = writeSuperbox(KIND.store, "c2pa", nested(1));
    new DataView(store.buffer).setUint32(45, 0x7fff_ffff);
    return store;
  },
  "lists one in the other": () => storeOfClaim(joined([new Uint8Array(100_000).fill(0x81), Uint8Array.of(0)])),
  "a list of a billion": () => storeOfClaim(Uint8Array.of(0x9b, 0, 0, 0, 0, 0x40, 0, 0, 0)),
  "a text of a billion": () => storeOfClaim(Uint8Array.of(0x7b, 0, 0, 0, 0, 0x40, 0, 0, 0)),
  "a claim of 600 kB": () => storeOfClaim(encodeCbor(new Uint8Array(600_000))),
  "a claim of 30,000 values": () => storeOfClaim(encodeCbor(Array.from({ length: 30_000 }, (_, index) => index))),
  "many manifests": () =>
    writeSuperbox(
      KIND.store,
      "c2pa",
      ...Array.from({ length: 300 }, (_, index) => writeSuperbox(KIND.manifest, `m${index}`)),
    ),
  "an ingredient that is its own": loop,
};

function storeOfClaim(claim: Uint8Array): Uint8Array {
  const box = writeSuperbox(KIND.claim, "c2pa.claim.v2", jumbfBox(KIND.cbor, claim));
  return writeSuperbox(KIND.store, "c2pa", writeSuperbox(KIND.manifest, "m", box));
}

function loop(): Uint8Array {
  const ingredient = new Map<string, Cbor>([
    ["relationship", "parentOf"],
    [
      "activeManifest",
      new Map<string, Cbor>([
        ["url", "self#jumbf=/c2pa/m"],
        ["hash", new Uint8Array(32)],
      ]),
    ],
  ]);
  const label = "c2pa.ingredient.v3";
  const assertion = writeSuperbox(KIND.cbor, label, jumbfBox(KIND.cbor, encodeCbor(ingredient)));
  const claim = encodeCbor(
    new Map<string, Cbor>([
      ["alg", "sha256"],
      ["signature", "self#jumbf=c2pa.signature"],
    ]),
  );
  return writeSuperbox(
    KIND.store,
    "c2pa",
    writeSuperbox(
      KIND.manifest,
      "m",
      writeSuperbox(KIND.assertions, "c2pa.assertions", assertion),
      writeSuperbox(KIND.claim, "c2pa.claim.v2", jumbfBox(KIND.cbor, claim)),
    ),
  );
}

describe("a store that is made to cost", () => {
  it.for(Object.keys(HOSTILE))("cannot be read, and takes no time: %s", async (name) => {
    const store = HOSTILE[name]?.() ?? new Uint8Array();
    const found = await verified(pngWith(store));
    expect(found?.state).toBe("unreadable");
  });

  it("is read without an error, however it is damaged", async () => {
    const files = Object.values(SIGNED_FILES);
    const damage = fc.record({
      file: fc.nat(files.length - 1),
      changes: fc.array(fc.record({ at: fc.nat(6_000), byte: fc.nat(255) }), { maxLength: 6 }),
      cut: fc.oneof(fc.constant(Infinity), fc.nat(5_000)),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ file, changes, cut }) => {
        const bytes = (files[file] ?? new Uint8Array()).slice(0, cut);
        const format = formatOf(files[file] ?? bytes);
        for (const { at, byte } of changes) if (at > 20 && at < bytes.length) bytes[at] = byte;
        try {
          const found =
            format.manifest && (await verifyFile(bytes, format.manifest, { anchors: async () => ANCHORS, now: NOW }));
          if (found) expect(["trusted", "valid", "invalid", "unreadable"]).toContain(found.state);
        } catch (error) {
          // What is no file of its format is refused before anybody asks where it is from.
          expect(error).toMatchObject({ status: 422 });
        }
      }),
      { numRuns: 600 },
    );
  });
});

describe("CBOR", () => {
  it("is read as it was written", () => {
    const value = fc.letrec<{ value: Cbor }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.maxSafeInteger(),
        fc.double({ noNaN: true }).filter((number) => !Object.is(number, -0)),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.uint8Array({ maxLength: 300 }),
        fc.array(tie("value"), { maxLength: 5 }),
        fc
          .dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 5 })
          .map((map) => new Map(Object.entries(map))),
        fc.tuple(fc.nat(1_000), tie("value")).map(([tag, of]) => new Tagged(tag, of)),
      ),
    })).value;
    fc.assert(
      fc.property(value, (one) => {
        expect(decodeCbor(encodeCbor(one))).toEqual(one);
      }),
      { numRuns: 300 },
    );
  });

  it("is read as the standard's examples have it", () => {
    const examples: readonly (readonly [string, Cbor])[] = [
      ["1bffffffffffffffff", 18_446_744_073_709_551_615n],
      ["3903e7", -1000],
      ["f93c00", 1],
      ["f90001", 5.960464477539063e-8],
      ["fa47c35000", 100_000],
      ["5f42010243030405ff", Uint8Array.of(1, 2, 3, 4, 5)],
      ["7f657374726561646d696e67ff", "streaming"],
      ["9f018202039f0405ffff", [1, [2, 3], [4, 5]]],
      [
        "bf61610161629f0203ffff",
        new Map<string, Cbor>([
          ["a", 1],
          ["b", [2, 3]],
        ]),
      ],
    ];
    for (const [hex, value] of examples) expect(decodeCbor(Uint8Array.fromHex(hex))).toEqual(value);
    for (const hex of ["", "18", "a1", "ff", "1c", "a2616101616102", "0000ff", "a18000"]) {
      expect(() => decodeCbor(Uint8Array.fromHex(hex))).toThrow();
    }
  });
});

it("an answer tells no more of manifests than one row of a database may hold", async () => {
  const found = await verified(MANIFESTS["PNG, manifests with much to tell"]?.(4_000_000) ?? new Uint8Array());
  const told = found && chainOf(found);
  expect(told?.manifests.length).toBeGreaterThan(20);
  expect(told?.manifests[1]?.actions[0]?.description).toBe("é".repeat(100));
  expect(new TextEncoder().encode(JSON.stringify(told)).length).toBeLessThan(1_500_000);
});
