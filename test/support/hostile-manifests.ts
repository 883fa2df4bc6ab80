/**
 * Pictures whose manifest stores are made to cost: references that each ask for a look at all assertions, texts that are
 * compared with all others, and values without bytes. Each is one of the families of hostile-framing.ts.
 */
import { type Cbor, cborMap, encodeCbor } from "../../src/image/provenance/cbor.ts";
import { jumbfBox, KIND, writeSuperbox } from "../../src/image/provenance/jumbf.ts";
import { chunk, joined, png } from "./framed.ts";

const HASH = new Uint8Array(1);
const ACTIVE = "m";

/** So many of something. */
function times<One>(count: number, one: (index: number) => One): One[] {
  return Array.from({ length: Math.max(1, Math.floor(count)) }, (_, index) => one(index));
}

const cbor = (value: Cbor) => jumbfBox(KIND.cbor, encodeCbor(value));
const assertion = (label: string, value: Cbor) => writeSuperbox(KIND.cbor, label, cbor(value));

/** A manifest, signed by whoever. */
function manifest(
  label: string,
  claim: Readonly<Record<string, Cbor>>,
  assertions: readonly Uint8Array[],
  ...more: readonly Uint8Array[]
): Uint8Array {
  return writeSuperbox(
    KIND.manifest,
    label,
    writeSuperbox(KIND.assertions, "c2pa.assertions", ...assertions),
    writeSuperbox(KIND.claim, "c2pa.claim.v2", cbor(cborMap(claim))),
    ...more,
  );
}

/** An element of DER with a length of two bytes. */
const der = (tag: number, content: Uint8Array) =>
  joined([tag, 0x82, content.length >> 8, content.length & 255], content);

/** A signature by whoever these certificates are of. */
const signature = (certificates: readonly Uint8Array[]) =>
  writeSuperbox(
    KIND.signature,
    "c2pa.signature",
    cbor([encodeCbor(new Map([[1, -7]])), new Map([[33, certificates]]), null, new Uint8Array(64)]),
  );

const stored = (...manifests: readonly Uint8Array[]) =>
  png(chunk("caBX", writeSuperbox(KIND.store, "c2pa", ...manifests)));

const reference = (url: string) => cborMap({ url, hash: HASH });
const ingredient = (index: number, manifestLabel: string, more: Readonly<Record<string, Cbor>> = {}) =>
  assertion(
    `c2pa.ingredient__${index}`,
    cborMap({ activeManifest: reference(`self#jumbf=/c2pa/${manifestLabel}`), ...more }),
  );

/** Bytes of CBOR that a box may have, and values that are counted in it. */
const BOX_BYTES = 500_000;
const BOX_VALUES = 19_000;

export const MANIFESTS: Readonly<Record<string, (bytes: number) => Uint8Array>> = {
  "PNG, manifests whose references name no assertion": (bytes) => {
    const assertions = times(Math.min(bytes / 100, 3_300), (index) => assertion(`a${index}`, 0));
    const references = times(BOX_VALUES / 5, (index) => reference(`b${index}`));
    return stored(manifest(ACTIVE, { created_assertions: references }, assertions));
  },
  "PNG, manifests with ingredients that differ and much left out": (bytes) => {
    const left = times(bytes / BOX_BYTES, (index) =>
      manifest(
        `l${index}`,
        { redacted_assertions: times(BOX_VALUES, (one) => `/c2pa/${index}/${one.toString(36)}`) },
        [],
      ),
    );
    const ingredients = times(2_500, (index) => ingredient(index, "small"));
    return stored(...left, manifest("small", {}, []), manifest(ACTIVE, {}, ingredients));
  },
  "PNG, manifests whose actions name no ingredient": (bytes) => {
    const ingredients = times(2_500, (index) => ingredient(index, "none"));
    const actions = times(Math.min(bytes / BOX_BYTES, 8), (index) =>
      assertion(
        `c2pa.actions__${index}`,
        cborMap({
          actions: [
            cborMap({
              action: "c2pa.opened",
              parameters: cborMap({ ingredients: times(BOX_VALUES / 3, () => cborMap({ url: "x" })) }),
            }),
          ],
        }),
      ),
    );
    return stored(manifest(ACTIVE, {}, [...ingredients, ...actions]));
  },
  "PNG, manifests with failures that were recorded": (bytes) => {
    const deep = times(Math.min(bytes / BOX_BYTES, 7), (index) => index);
    const bad = times(90, (index) => manifest(`bad${index}`, { created_assertions: [reference("none")] }, []));
    const status = times(BOX_VALUES / 6, () => cborMap({ code: "claimSignature.missing", url: "/c2pa/" }));
    const chain = deep.map((index) =>
      manifest(`c${index}`, {}, [
        ingredient(0, index === 0 ? "bad0" : `c${index - 1}`, { validationStatus: status }),
        ...(index === 0 ? times(90, (one) => ingredient(one + 1, `bad${one}`)) : []),
      ]),
    );
    return stored(...bad, ...chain, manifest(ACTIVE, {}, [ingredient(0, `c${deep.length - 1}`, {})]));
  },
  "PNG, manifests of empty maps": (bytes) =>
    stored(
      ...times(Math.min(bytes / (BOX_VALUES + 100), 127), (index) =>
        manifest(`m${index}`, { a: times(BOX_VALUES, () => new Map()) }, []),
      ),
      manifest(
        ACTIVE,
        {},
        times(127, (index) => ingredient(index, `m${index}`)),
      ),
    ),
  "PNG, manifests whose certificates have nothing but elements": (bytes) => {
    const certificate = der(0x30, new Uint8Array(Array.from({ length: 8_000 }, (_, index) => (index % 2 ? 0 : 0x30))));
    const labels = times(Math.min(bytes / 9_000, 127), (index) => `m${index}`);
    const signed = labels.map((label) => manifest(label, {}, [], signature([certificate])));
    return stored(
      ...signed,
      manifest(
        ACTIVE,
        {},
        labels.map((label, index) => ingredient(index, label)),
      ),
    );
  },
  "PNG, manifests that say the same large assertion": (bytes) => {
    const references = times(BOX_VALUES / 5, () => reference("a"));
    return stored(manifest(ACTIVE, { created_assertions: references }, [assertion("a", new Uint8Array(bytes / 9))]));
  },
  "PNG, manifests with much to tell": (bytes) => {
    const long = "\u0001é".repeat(100);
    const action = cborMap({
      action: long,
      when: long,
      softwareAgent: long,
      digitalSourceType: long,
      description: long,
    });
    const labels = times(Math.min(bytes / 160_000, 120), (index) => `m${index}`);
    const told = labels.map((label) =>
      manifest(label, { "dc:title": long }, [
        assertion("c2pa.actions", cborMap({ actions: times(100, () => action) })),
      ]),
    );
    return stored(
      ...told,
      manifest(
        ACTIVE,
        {},
        labels.map((label, index) => ingredient(index, label, { "dc:title": long })),
      ),
    );
  },
  "PNG, manifests of many boxes": (bytes) =>
    stored(
      manifest(
        ACTIVE,
        {},
        times(Math.min(bytes / 60, 3_300), (index) => assertion(`${index}`, 0)),
      ),
    ),
};
