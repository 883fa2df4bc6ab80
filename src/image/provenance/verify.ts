/** Verifies a manifest store and the file that it is about (C2PA 2.2, section 15), in the standard's words. */
import { isSame } from "../../same.ts";
import type { ManifestCarrier } from "./carrier.ts";
import { type Count, TooMuch, Unreadable } from "./cbor.ts";
import type { Anchors } from "./certificate.ts";
import { BINDINGS, type BoundFile, failureOfBinding, informationOfBinding } from "./hard-binding.ts";
import { Hasher, isZeros } from "./hashing.ts";
import { dataIn, KIND, readJumbf, type Superbox } from "./jumbf.ts";
import { MAX_FAILURES, MAX_FILE_VALUES, MAX_INGREDIENT_DEPTH } from "./limits.ts";
import {
  type Action,
  assertionNamed,
  contentOf,
  firsts,
  generatorOf,
  type Ingredient,
  ingredientsOf,
  Malformed,
  type Manifest,
  manifestsIn,
  placeOf,
  readManifest,
  shortText,
} from "./manifest.ts";
import { checkActions, checkParents, type Found, partsOf, unrecorded } from "./rules.ts";
import { type Signed, SignatureVerifier, UNTRUSTED } from "./verify-signature.ts";

export type State = "trusted" | "valid" | "invalid" | "unreadable";

/** What a manifest says, and what is wrong with it. */
export interface VerifiedManifest extends Signed {
  readonly label: string;
  readonly manifest: Manifest;
  readonly generator: string | undefined;
  readonly title: string | undefined;
  readonly format: string | undefined;
  readonly actions: readonly Action[];
  readonly ingredients: readonly Ingredient[];
  readonly failures: readonly string[];
  /** What is right, and to be known. */
  readonly informational: readonly string[];
}

export interface VerifiedStore {
  readonly state: State;
  /** Of the active manifest and its ingredients, each once; what ingredients were known to have is left out. */
  readonly failures: readonly string[];
  /** The active one first, then ingredients as they are reached. */
  readonly manifests: readonly VerifiedManifest[];
  /** The bytes of the store; null where they cannot be read. */
  readonly store: Uint8Array | null;
}

/** What judging manifests needs of the outside. */
export interface Verification {
  /** By whom signers are trusted; asked for where a file has a manifest. */
  readonly anchors: () => Promise<Anchors>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the manifest store of a file is worth; undefined where it has none. Reads every file without an error. */
export async function verifyFile(
  bytes: Uint8Array,
  carrier: ManifestCarrier,
  how: Verification,
): Promise<VerifiedStore | undefined> {
  const found = carrier.find(bytes);
  if (!found) return undefined;
  const anchors = await how.anchors();
  const { parts } = carrier;
  try {
    if (!found.store) throw new Unreadable("no store");
    const store = readJumbf(found.store);
    const isPadded = isZeros(found.store.subarray(store.whole.length));
    const file = { bytes, ranges: found.ranges, isPadded, parts: parts && (() => parts(bytes)) };
    return await new Verifier(store, file, anchors, how.now).verify(found.store);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError)
      return { state: "unreadable", failures: [], manifests: [], store: null };
    throw error;
  }
}

class Verifier {
  private readonly boxes: ReadonlyMap<string, Superbox>;
  private readonly active: Superbox;
  private readonly file: BoundFile;
  private readonly hasher: Hasher;
  private readonly signatures: SignatureVerifier;
  private readonly values: Count = { left: MAX_FILE_VALUES };
  private readonly read = new Map<Superbox, Manifest>();
  private readonly verified = new Map<string, { readonly found: VerifiedManifest; readonly own: readonly Found[] }>();
  private readonly redacted = new Set<string>();
  /** The labels of manifests of which something is left out. */
  private readonly redactedManifests = new Set<string>();

  /** @throws Unreadable */
  constructor(store: Superbox, file: BoundFile, anchors: Anchors, now: number) {
    const manifests = manifestsIn(store);
    this.boxes = new Map(manifests.map((box) => [box.label, box]));
    this.active = manifests.at(-1)!;
    this.file = file;
    this.hasher = new Hasher(file.bytes.length);
    this.signatures = new SignatureVerifier({ anchors, now, hasher: this.hasher, values: this.values });
  }

  async verify(store: Uint8Array): Promise<VerifiedStore> {
    this.gatherRedacted();
    const failures = await this.walk(this.active.label, this.bindingLabel(), 0, new Set());
    const active = this.verified.get(this.active.label)?.found;
    const codes = [...new Set(failures.map(({ code }) => code))].slice(0, MAX_FAILURES);
    const isValid = codes.every((code) => code === UNTRUSTED);
    const own = failures.some(({ manifest, code }) => manifest === this.active.label && code === UNTRUSTED);
    const told = codes.filter((code) => code !== UNTRUSTED || own);
    const isRead = !active?.failures.includes("claim.cbor.invalid");
    const state = !isRead ? "unreadable" : !isValid ? "invalid" : active?.trusted ? "trusted" : "valid";
    return { state, failures: told, manifests: Array.from(this.verified.values(), ({ found }) => found), store };
  }

  /** A manifest, which is read once. @throws Malformed, Unreadable */
  private manifestIn(box: Superbox): Manifest {
    const manifest = this.read.get(box) ?? readManifest(box, this.values);
    this.read.set(box, manifest);
    return manifest;
  }

  /** What later manifests leave out of earlier ones, by address. */
  private gatherRedacted(): void {
    for (const box of this.boxes.values()) {
      try {
        for (const uri of this.manifestIn(box).redacted) {
          this.redacted.add(uri.replace(/^self#jumbf=/, ""));
          const { manifest } = placeOf(uri);
          if (manifest !== undefined) this.redactedManifests.add(manifest);
        }
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
      }
    }
  }

  /** The manifest that is bound to the file: the active one, or the one that updates lead to. */
  private bindingLabel(): string {
    let label = this.active.label;
    for (let depth = 0; depth < MAX_INGREDIENT_DEPTH; depth++) {
      const box = this.boxes.get(label);
      if (!box || box.kind !== KIND.update) return label;
      try {
        const parent = ingredientsOf(this.manifestIn(box)).find(
          ({ relationship }) => relationship === "parentOf",
        )?.manifest;
        label = (parent && placeOf(parent.url).manifest) ?? "";
      } catch (error) {
        if (error instanceof Malformed) return label;
        throw error;
      }
    }
    return label;
  }

  /** The failures of a manifest and of its ingredients. */
  private async walk(
    label: string,
    binding: string,
    depth: number,
    above: ReadonlySet<string>,
  ): Promise<readonly Found[]> {
    const box = this.boxes.get(label);
    if (!box) return [];
    if (depth > MAX_INGREDIENT_DEPTH || above.has(label)) throw new TooMuch("ingredients that lie too deep");
    const known = this.verified.get(label);
    if (known) return known.own;
    const found = await this.verifyManifest(box, label === binding);
    const own = found.failures.map((code) => ({ manifest: label, code }));
    this.verified.set(label, { found, own });
    const within = new Set([...above, label]);
    const failures = new Set<Found>(own);
    for (const ingredient of found.ingredients) {
      const below = await this.ingredient(found.manifest, ingredient, binding, depth, within);
      for (const failure of unrecorded(below, ingredient)) failures.add(failure);
    }
    return [...failures];
  }

  private async ingredient(
    of: Manifest,
    { manifest, signature }: Ingredient,
    binding: string,
    depth: number,
    above: ReadonlySet<string>,
  ): Promise<readonly Found[]> {
    if (!manifest) return [];
    const label = placeOf(manifest.url).manifest ?? "";
    const box = this.boxes.get(label);
    if (!box) return [{ manifest: of.label, code: "ingredient.manifest.missing" }];
    const failures = await this.walk(label, binding, depth + 1, above);
    const algorithm = manifest.algorithm ?? of.algorithm;
    if (this.hasHash(box.content, manifest.hash, algorithm)) return failures;
    const claim = box.boxes.find(({ kind }) => kind === KIND.claim);
    const isOfClaim = claim && this.hasHash(dataIn(claim, KIND.cbor) ?? new Uint8Array(), manifest.hash, algorithm);
    // The first version of the standard has hashes of claims.
    if (isOfClaim) return failures;
    if (!this.redactedManifests.has(label)) {
      return [...failures, { manifest: label, code: "ingredient.manifest.mismatch" }];
    }
    if (this.verified.get(label)?.found.manifest.version === 1) return failures;
    if (!signature) return [...failures, { manifest: label, code: "ingredient.claimSignature.missing" }];
    const signed = box.boxes.find(({ kind }) => kind === KIND.signature);
    const isSigned = signed && this.hasHash(signed.content, signature.hash, signature.algorithm ?? of.algorithm);
    return isSigned ? failures : [...failures, { manifest: label, code: "ingredient.claimSignature.mismatch" }];
  }

  private hasHash(bytes: Uint8Array, hash: Uint8Array, algorithm: string): boolean {
    const found = this.hasher.hashOnce(algorithm, bytes);
    return found !== undefined && isSame(found, hash);
  }

  private async verifyManifest(box: Superbox, isBound: boolean): Promise<VerifiedManifest> {
    const failures: string[] = [];
    let manifest: Manifest;
    try {
      manifest = this.manifestIn(box);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return withoutClaim(box, error.code);
    }
    const signed = await this.signatures.verify(manifest, isBound, failures);
    this.assertions(manifest, failures);
    const information = isBound ? this.binding(manifest, failures) : undefined;
    const parts = partsOf(manifest, failures);
    if (manifest.version === 2 || manifest.isUpdate) checkActions(manifest, parts, failures);
    checkParents(manifest, parts.ingredients, failures);
    return {
      label: box.label,
      manifest,
      generator: generatorOf(manifest),
      title: shortText(manifest.claim, "dc:title"),
      format: shortText(manifest.claim, "dc:format"),
      ...signed,
      ...parts,
      failures: [...new Set(failures)],
      informational: information === undefined ? [] : [information],
    };
  }

  private assertions({ label, assertions, references, redacted, algorithm }: Manifest, failures: string[]): void {
    for (const uri of redacted) {
      const [of, name] = [placeOf(uri).manifest, assertionNamed(uri)];
      if (of === label || of === undefined) failures.push("assertion.selfRedacted");
      if (name.startsWith("c2pa.actions")) failures.push("assertion.action.redacted");
      if (BINDINGS.some((binding) => name.startsWith(binding))) failures.push("assertion.dataHash.redacted");
    }
    const byLabel = firsts(assertions);
    const left = new Set(byLabel.keys());
    for (const { url, hash, algorithm: own } of references) {
      const { manifest, path } = placeOf(url);
      const name = path.at(-1) ?? "";
      if (manifest !== undefined && manifest !== label) failures.push("assertion.outsideManifest");
      left.delete(name);
      if (this.isRedacted(label, name)) continue;
      const found = byLabel.get(name);
      if (!found) failures.push("assertion.missing");
      else if (!this.hasHash(found.box.content, hash, own ?? algorithm)) failures.push("assertion.hashedURI.mismatch");
    }
    for (const name of left) if (!this.isRedacted(label, name)) failures.push("assertion.undeclared");
  }

  private isRedacted(label: string, name: string): boolean {
    return this.redacted.has(`/c2pa/${label}/c2pa.assertions/${name}`);
  }

  /** What there is to be known of the binding that is no failure. */
  private binding(manifest: Manifest, failures: string[]): string | undefined {
    const bindings = manifest.assertions.filter(({ label }) => BINDINGS.some((binding) => label.startsWith(binding)));
    const [binding] = bindings;
    if (!binding) {
      failures.push("claim.hardBindings.missing");
      return undefined;
    }
    if (bindings.length > 1) failures.push("assertion.multipleHardBindings");
    try {
      const isUpdated = this.active.label !== manifest.label;
      const content = contentOf(binding, manifest);
      const failure = failureOfBinding(binding.label, content, {
        file: this.file,
        algorithm: manifest.algorithm,
        hasher: this.hasher,
        isUpdated,
      });
      if (failure) failures.push(failure);
      return informationOfBinding(binding.label, content, this.file);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      failures.push(error.code);
      return undefined;
    }
  }
}

function withoutClaim(box: Superbox, code: string): VerifiedManifest {
  const claim = new Map();
  const manifest: Manifest = {
    label: box.label,
    box,
    isUpdate: false,
    version: 1,
    claim,
    claimBytes: new Uint8Array(),
    signature: undefined,
    assertions: [],
    references: [],
    redacted: [],
    algorithm: "sha256",
    values: { left: 0 },
  };
  const nothing = { generator: undefined, title: undefined, format: undefined, signer: undefined, signedAt: undefined };
  const parts = { actions: [], ingredients: [], informational: [] };
  return { label: box.label, manifest, ...nothing, trusted: false, ...parts, failures: [code] };
}
