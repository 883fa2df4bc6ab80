/** An original as an ingredient of its result: its manifests, without thumbnails, and what was found out about them. */
import { joined } from "../../joined.ts";
import { type Cbor, cborMap } from "./cbor.ts";
import { Hasher } from "./hashing.ts";
import { jumbfBox, KIND, readJumbf, type Superbox } from "./jumbf.ts";
import { Malformed, manifestsIn, readManifest } from "./manifest.ts";
import type { VerifiedStore } from "./verify.ts";

const ALGORITHM = "sha256";

export interface KeptIngredient {
  /** What the ingredient assertion says (version 3). */
  readonly assertion: Cbor;
  /** The manifests that come along, in their order. */
  readonly manifests: readonly Uint8Array[];
  /** Addresses of what was left out of them. */
  readonly redacted: readonly string[];
}

/**
 * An original of a media type, with the manifests that it has.
 * @param mostBytes that these may take without thumbnails; where they take more, the ingredient is named without them
 */
export function ingredientOf(
  { mime, store }: { readonly mime: string; readonly store: VerifiedStore | undefined },
  mostBytes: number,
): KeptIngredient {
  const members = { relationship: "parentOf", "dc:format": mime };
  const plain = { assertion: cborMap(members), manifests: [], redacted: [] };
  if (!store?.store || store.state === "unreadable") return plain;
  const boxes = manifestsIn(readJumbf(store.store));
  const kept = boxes.map(withoutThumbnails);
  const active = kept.at(-1);
  const box = active && readJumbf(active.bytes);
  const length = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (!box || length > mostBytes) return plain;
  const url = `self#jumbf=/c2pa/${box.label}`;
  const signature = box.boxes.find(({ kind }) => kind === KIND.signature);
  const signatureUrl = `${url}/c2pa.signature`;
  const failures = store.failures.map((code) =>
    cborMap({ code, url: /^(?:claimS|signingC)/.test(code) ? signatureUrl : url }),
  );
  const isSigned =
    !store.failures.includes("claimSignature.mismatch") && !store.failures.includes("claimSignature.missing");
  const success = isSigned ? [cborMap({ code: "claimSignature.validated", url: signatureUrl })] : [];
  return {
    assertion: cborMap({
      ...members,
      activeManifest: cborMap({ url, hash: hashOf(box) }),
      claimSignature: signature && cborMap({ url: signatureUrl, hash: hashOf(signature) }),
      validationResults: cborMap({ activeManifest: cborMap({ success, informational: [], failure: failures }) }),
    }),
    // The bytes of the original may be gone by the time that they are written.
    manifests: kept.map(({ bytes }) => bytes.slice()),
    redacted: kept.flatMap(({ redacted }) => redacted),
  };
}

function hashOf({ content }: Superbox): Uint8Array {
  return new Hasher(content.length).hash(ALGORITHM, [content]) ?? new Uint8Array();
}

/** A manifest without the pictures in it, which may be left out of ingredients as no other assertion is missed less. */
function withoutThumbnails(box: Superbox): { readonly bytes: Uint8Array; readonly redacted: readonly string[] } {
  const isThumbnail = ({ label }: Superbox) => label.startsWith("c2pa.thumbnail.");
  const store = box.boxes.find(({ kind }) => kind === KIND.assertions);
  const left = store?.boxes.filter(isThumbnail) ?? [];
  const claimed = claimedBy(box);
  // What the claim does not name cannot be redacted.
  if (!store || left.length === 0 || !left.every(({ label }) => claimed.has(label)))
    return { bytes: box.whole, redacted: [] };
  const rest = store.boxes.filter((one) => !isThumbnail(one)).map(({ whole }) => whole);
  const smaller = jumbfBox("jumb", described(store), ...rest);
  const boxes = box.boxes.map((one) => (one === store ? smaller : one.whole));
  return {
    bytes: jumbfBox("jumb", described(box), ...boxes),
    redacted: left.map(({ label }) => `self#jumbf=/c2pa/${box.label}/c2pa.assertions/${label}`),
  };
}

/** The labels of the assertions that a manifest's claim names; none where it cannot be read. */
function claimedBy(box: Superbox): ReadonlySet<string | undefined> {
  try {
    return new Set(readManifest(box).references.map(({ url }) => url.split("/").at(-1)));
  } catch (error) {
    if (error instanceof Malformed) return new Set();
    throw error;
  }
}

/** The description of a superbox, which stands first in it and may hold more than a label. */
function described({ content }: Superbox): Uint8Array {
  const length = new DataView(content.buffer, content.byteOffset).getUint32(0);
  return joined([content.subarray(0, length)]);
}
