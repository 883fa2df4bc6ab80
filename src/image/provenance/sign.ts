/** Writes manifests (C2PA 2.2): the original as an ingredient, what was done, and a hash that holds on to the result. */
import type { ManifestCarrier, Range } from "./carrier.ts";
import { type Cbor, cborMap, encodeCbor } from "./cbor.ts";
import { protectedHeaders, signedBytes, stampedBytes, writeCose } from "./cose.ts";
import { boxPieces, outside, UUID } from "./hard-binding.ts";
import { Hasher } from "./hashing.ts";
import { jumbfBox, KIND, writeSuperbox } from "./jumbf.ts";
import { ingredientOf, type KeptIngredient } from "./kept-ingredient.ts";
import type { Signer } from "./signer.ts";
import type { VerifiedStore } from "./verify.ts";

const ALGORITHM = "sha256";
const HASH_BYTES = 32;
/** What is added to a file at most: its own manifest, and those of its original as far as there is room. */
const MOST_ADDED_BYTES = 12_000;
/** What manifests of an original may take where they are asked for. */
const MOST_KEPT_BYTES = 64 << 10;
/** What is said of manifests that are kept: references with their hashes, and what was left out of them. */
const REFERENCE_BYTES = 1_500;
/** A signature of RSA takes 512 bytes at most with keys in use, and headers some more. */
const SIGNATURE_BYTES = 640;
/** A time stamp with the certificates of its authority; one that is larger is left out. */
const STAMP_BYTES = 6_200;
/** What hashes of several parts take more than a hash of all but the store, and what containers add. */
const BINDING_BYTES = 400;
const CONTAINER_BYTES = 100;
/** GIF has a byte more for each 255. */
const CONTAINER_SHARE = 1 / 128;
/** Numbers of a data hash have another length once they are known: padding takes up what is left. */
const PAD_BYTES = 16;

/** What is told of a result. */
export interface Statement {
  readonly signer: Signer;
  /** The program that made it. */
  readonly generator: { readonly name: string; readonly version: string };
  /** The original. */
  readonly ingredient: KeptIngredient;
  /** The digital source type that the original states. */
  readonly sourceType: string | undefined;
  /** What was done after it was opened, by the standard's words. */
  readonly actions: readonly string[];
}

const NO_ID = "0".repeat(36);

/**
 * The original as an ingredient, with as much of its manifests as there is room for. It outlives the bytes of the original.
 * @param statement with all actions that there may be
 * @param keepsManifests they are wanted, even where they are large
 */
export function ingredientFor(
  statement: Omit<Statement, "ingredient">,
  original: { readonly mime: string; readonly store: VerifiedStore | undefined },
  keepsManifests: boolean,
): KeptIngredient {
  if (keepsManifests) return ingredientOf(original, MOST_KEPT_BYTES);
  const whole = { ...statement, ingredient: ingredientOf(original, 0) };
  const bare = new Draft(whole, NO_ID, dataHash([], new Uint8Array(HASH_BYTES)));
  const added = Math.ceil((bare.length + BINDING_BYTES) * (1 + CONTAINER_SHARE)) + CONTAINER_BYTES;
  return ingredientOf(original, Math.max(0, MOST_ADDED_BYTES - added - REFERENCE_BYTES));
}

/** About how much longer a file is with the statement. */
export function statementBytes(statement: Statement): number {
  const draft = new Draft(statement, NO_ID, dataHash([], new Uint8Array(HASH_BYTES)));
  return Math.ceil((draft.length + BINDING_BYTES) * (1 + CONTAINER_SHARE)) + CONTAINER_BYTES;
}

/**
 * A file with a manifest that states what was done.
 * @param file without a manifest
 * @param id a UUID, as the manifest's name
 */
export async function withManifest(
  file: Uint8Array,
  carrier: ManifestCarrier,
  statement: Statement,
  id: string,
): Promise<Uint8Array> {
  const { write } = carrier;
  if (!write) throw new Error("Files of the format have no place for a manifest");
  const draftOf = (bound: Bound) => new Draft(statement, id, bound);
  const empty = binding(carrier, [], undefined)();
  // The names of parts are known once there is a store among them, of whatever length.
  const expected = carrier.binding === "boxes" ? binding(carrier, [], write(file, draftOf(empty).unsigned()))() : empty;
  const draft = draftOf(expected);
  const placed = write(file, draft.unsigned());
  const ranges = carrier.find(placed)?.ranges ?? [];
  const final = draftOf(binding(carrier, ranges, placed)(expected.content.length));
  return write(file, await final.signed(draft.length));
}

interface Bound {
  readonly label: string;
  readonly content: Uint8Array;
}

/** The hard binding of a file; of the same length whatever the file is, where a length is given. */
function binding(carrier: ManifestCarrier, ranges: readonly Range[], file: Uint8Array | undefined) {
  const hasher = new Hasher(file?.length ?? 0);
  const hash = (pieces: Iterable<Uint8Array>) => hasher.hash(ALGORITHM, pieces) ?? new Uint8Array(HASH_BYTES);
  return (length?: number): Bound => {
    if (carrier.binding === "bmff")
      return bmffHash(file ? hash(boxPieces(file, BMFF_EXCLUSIONS, true)) : new Uint8Array(HASH_BYTES));
    if (carrier.binding === "boxes" && carrier.parts) return boxesHash(carrier, file, hash);
    return dataHash(ranges, file ? hash(outside(file, ranges)) : new Uint8Array(HASH_BYTES), length);
  };
}

const LARGEST = 0x7fff_ffff;

function dataHash(ranges: readonly Range[], hash: Uint8Array, length?: number): Bound {
  const exclusions = (ranges.length > 0 ? ranges : [{ start: LARGEST, length: LARGEST }]).map((range) =>
    cborMap({ ...range }),
  );
  const written = (pad: number) =>
    encodeCbor(cborMap({ exclusions, name: "jumbf manifest", alg: ALGORITHM, hash, pad: new Uint8Array(pad) }));
  const content = written(0);
  const missing = length === undefined ? 0 : length - content.length;
  return {
    label: "c2pa.hash.data",
    content: missing > 0 && missing < 2 * PAD_BYTES ? padded(written, length ?? 0) : content,
  };
}

/** Byte strings of up to 23 bytes have a length of one byte. */
function padded(written: (pad: number) => Uint8Array, length: number): Uint8Array {
  return written(length - written(0).length);
}

/** What a hash of boxes leaves out: the store itself, what the file is, and what speaks of places in fragments. */
const BMFF_EXCLUSIONS: readonly Cbor[] = [
  cborMap({ xpath: "/uuid", data: [cborMap({ offset: 8, value: UUID })] }),
  cborMap({ xpath: "/ftyp" }),
  cborMap({ xpath: "/mfra" }),
];

function bmffHash(hash: Uint8Array): Bound {
  const content = encodeCbor(cborMap({ exclusions: BMFF_EXCLUSIONS, alg: ALGORITHM, hash, name: "jumbf manifest" }));
  return { label: "c2pa.hash.bmff.v3", content };
}

function boxesHash(
  { parts }: ManifestCarrier,
  file: Uint8Array | undefined,
  hash: (pieces: Iterable<Uint8Array>) => Uint8Array,
): Bound {
  const found = (file && parts?.(file)) ?? [];
  const at = found.findIndex(({ name }) => name === "C2PA");
  const group = (of: typeof found) => {
    const [first, last] = [of[0], of.at(-1)];
    const pieces = file && first && last ? [file.subarray(first.start, last.start + last.length)] : [];
    return cborMap({ names: of.map(({ name }) => name), alg: ALGORITHM, hash: hash(pieces), pad: new Uint8Array() });
  };
  const store = cborMap({ names: ["C2PA"], alg: ALGORITHM, hash: new Uint8Array(), pad: new Uint8Array() });
  const boxes = [group(found.slice(0, at)), store, group(found.slice(at + 1))];
  return { label: "c2pa.hash.boxes", content: encodeCbor(cborMap({ boxes })) };
}

/** A manifest store that is not signed yet. */
class Draft {
  private readonly statement: Statement;
  private readonly label: string;
  private readonly protectedBytes: Uint8Array;
  private readonly assertions: readonly { readonly label: string; readonly box: Uint8Array }[];
  private readonly claim: Uint8Array;

  constructor(statement: Statement, id: string, bound: Bound) {
    const { ingredient } = statement;
    this.statement = statement;
    this.label = `urn:c2pa:${id}`;
    this.protectedBytes = protectedHeaders(statement.signer.algorithm, statement.signer.certificates);
    const told = assertion("c2pa.ingredient.v3", encodeCbor(ingredient.assertion));
    const done = assertion("c2pa.actions.v2", encodeCbor(actions(statement, told.uri)));
    const all = [told, done, assertion(bound.label, bound.content)];
    this.assertions = all;
    this.claim = encodeCbor(
      cborMap({
        instanceID: `xmp:iid:${id}`,
        claim_generator_info: cborMap({ ...statement.generator }),
        signature: `self#jumbf=/c2pa/${this.label}/c2pa.signature`,
        created_assertions: all.map(({ uri }) => uri),
        redacted_assertions: ingredient.redacted.length > 0 ? ingredient.redacted : undefined,
        alg: ALGORITHM,
      }),
    );
  }

  get length(): number {
    return this.unsigned().length;
  }

  /** Bytes by which the signature is padded so that the store has an even number: a chunk of RIFF then needs no padding. */
  private get evenBytes(): number {
    return this.store(new Uint8Array(this.signatureBytes)).length % 2;
  }

  /** The store with room for its signature. */
  unsigned(): Uint8Array {
    return this.store(new Uint8Array(this.signatureBytes + this.evenBytes));
  }

  /** @param length that of the store for which room was made */
  async signed(length: number): Promise<Uint8Array> {
    const { signer } = this.statement;
    const { protectedBytes, claim } = this;
    const signature = await signer.sign(signedBytes(protectedBytes, claim));
    const token = await signer.stamp?.(stampedBytes({ protectedBytes, signature }, claim, "signature"));
    const stamped = token && token.length <= STAMP_BYTES - 100;
    const plain = new Map<string, Cbor>(
      stamped ? [["sigTst2", cborMap({ tstTokens: [cborMap({ val: token })] })]] : [],
    );
    const store = this.store(writeCose(protectedBytes, plain, signature, this.signatureBytes + this.evenBytes));
    if (store.length !== length) throw new Error("The manifest has another length than was set aside for it");
    return store;
  }

  private get signatureBytes(): number {
    return this.protectedBytes.length + SIGNATURE_BYTES + (this.statement.signer.stamp ? STAMP_BYTES : 0);
  }

  private store(signature: Uint8Array): Uint8Array {
    const own = writeSuperbox(
      KIND.manifest,
      this.label,
      writeSuperbox(KIND.assertions, "c2pa.assertions", ...this.assertions.map(({ box }) => box)),
      writeSuperbox(KIND.claim, "c2pa.claim.v2", jumbfBox(KIND.cbor, this.claim)),
      writeSuperbox(KIND.signature, "c2pa.signature", jumbfBox(KIND.cbor, signature)),
    );
    return writeSuperbox(KIND.store, "c2pa", ...this.statement.ingredient.manifests, own);
  }
}

/** An assertion, and the reference to it. */
function assertion(label: string, content: Uint8Array) {
  const box = writeSuperbox(KIND.cbor, label, jumbfBox(KIND.cbor, content));
  const hash = new Hasher(box.length).hash(ALGORITHM, [box.subarray(8)]) ?? new Uint8Array();
  return { label, box, uri: cborMap({ url: `self#jumbf=c2pa.assertions/${label}`, hash }) };
}

function actions({ actions: done, sourceType, ingredient: { redacted } }: Statement, ingredient: Cbor): Cbor {
  const opened = cborMap({
    action: "c2pa.opened",
    digitalSourceType: sourceType,
    parameters: cborMap({ ingredients: [ingredient] }),
  });
  const left = redacted.map((uri) =>
    cborMap({ action: "c2pa.redacted", reason: "c2pa.document", parameters: cborMap({ redacted: uri }) }),
  );
  return cborMap({ actions: [opened, ...left, ...done.map((action) => cborMap({ action }))] });
}
