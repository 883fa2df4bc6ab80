/** One manifest of a store: its claim, assertions and signature, as they stand in its boxes (C2PA 2.2, 10 and 11). */
import {
  bytesIn,
  type Cbor,
  type CborMap,
  type Count,
  decodeCbor,
  listIn,
  memberOf,
  textIn,
  TooMuch,
  Unreadable,
} from "./cbor.ts";
import { boxIn, dataIn, KIND, type Superbox } from "./jumbf.ts";
import { MAX_FILE_VALUES, MAX_MANIFESTS, MAX_TEXT_CHARACTERS } from "./limits.ts";

/** A reference to a box, and the hash that it has. */
interface HashedUri {
  readonly url: string;
  readonly hash: Uint8Array;
  readonly algorithm: string | undefined;
}

export interface Assertion {
  readonly label: string;
  readonly box: Superbox;
}

export interface Manifest {
  readonly label: string;
  readonly box: Superbox;
  readonly isUpdate: boolean;
  readonly version: 1 | 2;
  readonly claim: CborMap;
  readonly claimBytes: Uint8Array;
  readonly signature: Superbox | undefined;
  readonly assertions: readonly Assertion[];
  /** References to assertions. */
  readonly references: readonly HashedUri[];
  /** Addresses of assertions that are left out of ingredients. */
  readonly redacted: readonly string[];
  readonly algorithm: string;
  /** Values of CBOR that the boxes of its store may still have. */
  readonly values: Count;
}

/** The manifests of a store, the active one last. @throws Unreadable */
export function manifestsIn(store: Superbox): readonly Superbox[] {
  const manifests = store.boxes.filter(({ kind }) => kind === KIND.manifest || kind === KIND.update);
  if (store.kind !== KIND.store || manifests.length === 0) throw new Unreadable("no manifest store");
  if (manifests.length > MAX_MANIFESTS) throw new TooMuch("too many manifests");
  return manifests;
}

/** What is wrong with a manifest that has no claim, or more than one, by the words of the standard. */
export class Malformed extends Error {
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/**
 * @param values of CBOR that the boxes of its store may have together
 * @throws Malformed, Unreadable
 */
export function readManifest(box: Superbox, values: Count = { left: MAX_FILE_VALUES }): Manifest {
  const claims = box.boxes.filter(({ kind }) => kind === KIND.claim);
  const [claimBox] = claims;
  if (!claimBox) throw new Malformed("claim.missing");
  if (claims.length > 1) throw new Malformed("claim.multiple");
  const claimBytes = dataIn(claimBox, KIND.cbor);
  if (!claimBytes) throw new Malformed("claim.missing");
  const claim = decoded(claimBytes, "claim.cbor.invalid", values);
  if (!(claim instanceof Map)) throw new Malformed("claim.cbor.invalid");
  const version = claimBox.label.startsWith("c2pa.claim.v2") ? 2 : 1;
  const lists = version === 1 ? ["assertions"] : ["created_assertions", "gathered_assertions"];
  return {
    label: box.label,
    box,
    isUpdate: box.kind === KIND.update,
    version,
    claim: claim as CborMap,
    claimBytes,
    signature: boxIn(box, KIND.signature),
    assertions: (boxIn(box, KIND.assertions)?.boxes ?? []).map((one) => ({ label: one.label, box: one })),
    references: lists.flatMap((name) => listIn(claim, name).map(hashedUri)),
    redacted: listIn(claim, "redacted_assertions").filter((uri) => typeof uri === "string"),
    algorithm: textIn(claim, "alg") ?? "sha256",
    values,
  };
}

function decoded(bytes: Uint8Array, code: string, values: Count): Cbor {
  try {
    return decodeCbor(bytes, values);
  } catch (error) {
    if (error instanceof TooMuch || !(error instanceof Unreadable)) throw error;
    throw new Malformed(code, error);
  }
}

/** A reference as a map has it. @throws Malformed */
function hashedUri(value: Cbor): HashedUri {
  const [url, hash] = [textIn(value, "url"), bytesIn(value, "hash")];
  if (url === undefined || !hash) throw new Malformed("claim.malformed");
  return { url, hash, algorithm: textIn(value, "alg") };
}

/** What an assertion of a manifest says, where it is CBOR. @throws Malformed */
export function contentOf({ box }: Assertion, { values }: Pick<Manifest, "values">): Cbor {
  const bytes = dataIn(box, KIND.cbor);
  return bytes && decoded(bytes, "assertion.cbor.invalid", values);
}

/** What has a label, by that: of several with the same one, the first. */
export function firsts<One extends { readonly label: string }>(all: readonly One[]): ReadonlyMap<string, One> {
  return new Map(all.toReversed().map((one) => [one.label, one]));
}

/** The place that an address within a store names: a manifest, undefined for the same, and what is in it. */
export function placeOf(url: string): { readonly manifest: string | undefined; readonly path: readonly string[] } {
  const path = url.replace(/^self#jumbf=/, "").split("/");
  if (path[0] !== "") return { manifest: undefined, path };
  return { manifest: path[2], path: path.slice(3) };
}

/** The label of the assertion that an address names. */
export function assertionNamed(url: string): string {
  return placeOf(url).path.at(-1) ?? "";
}

/** An ingredient assertion, of any version. */
export interface Ingredient {
  readonly label: string;
  readonly title: string | undefined;
  readonly format: string | undefined;
  readonly relationship: string;
  /** Its own manifest. */
  readonly manifest: HashedUri | undefined;
  /** The signature of that. */
  readonly signature: HashedUri | undefined;
  /** What its signer found wrong with it: words of the standard, and where. */
  readonly recorded: readonly { readonly code: string; readonly url: string }[];
}

/** @throws Malformed */
export function ingredientsOf(manifest: Manifest): readonly Ingredient[] {
  const { assertions } = manifest;
  const isIngredient = ({ label }: Assertion) => /^c2pa\.ingredient(?:\.v\d)?(?:__\d+)?$/.test(label);
  return assertions.filter(isIngredient).map((assertion) => {
    const content = contentOf(assertion, manifest);
    const [own, signature] = [
      memberOf(content, "activeManifest") ?? memberOf(content, "c2pa_manifest"),
      memberOf(content, "claimSignature"),
    ];
    return {
      label: assertion.label,
      title: shortText(content, "dc:title"),
      format: shortText(content, "dc:format"),
      relationship: shortText(content, "relationship") ?? "",
      manifest: own instanceof Map ? hashedUri(own) : undefined,
      signature: signature instanceof Map ? hashedUri(signature) : undefined,
      recorded: recordedIn(content),
    };
  });
}

function recordedIn(content: Cbor): Ingredient["recorded"] {
  const results = memberOf(content, "validationResults");
  const deltas = listIn(results, "ingredientDeltas").map((delta) => memberOf(delta, "validationDeltas"));
  const failures = [memberOf(results, "activeManifest"), ...deltas].flatMap((one) => listIn(one, "failure"));
  return [...listIn(content, "validationStatus"), ...failures].map((one) => ({
    code: textIn(one, "code") ?? "",
    url: textIn(one, "url") ?? "",
  }));
}

/** A text of a map, as long as answers are. */
export function shortText(value: Cbor, key: string): string | undefined {
  return textIn(value, key)?.slice(0, MAX_TEXT_CHARACTERS);
}

/** What was done, as an actions assertion says it. */
export interface Action {
  readonly action: string;
  readonly when: string | undefined;
  readonly software: string | undefined;
  readonly sourceType: string | undefined;
  readonly description: string | undefined;
  /** The labels of the ingredients that it names. */
  readonly ingredients: readonly string[];
}

/** @throws Malformed */
export function actionsOf(manifest: Manifest): readonly Action[] {
  const { assertions } = manifest;
  const found = assertions.filter(({ label }) => /^c2pa\.actions(?:\.v\d)?(?:__\d+)?$/.test(label));
  return found.flatMap((assertion) => listIn(contentOf(assertion, manifest), "actions").map(actionOf));
}

function actionOf(value: Cbor): Action {
  const agent = memberOf(value, "softwareAgent");
  const parameters = memberOf(value, "parameters");
  const named = [memberOf(parameters, "ingredient"), ...listIn(parameters, "ingredients")];
  const when = memberOf(value, "when");
  return {
    action: shortText(value, "action") ?? "",
    when: typeof when === "string" ? when.slice(0, MAX_TEXT_CHARACTERS) : undefined,
    software: typeof agent === "string" ? agent.slice(0, MAX_TEXT_CHARACTERS) : shortText(agent, "name"),
    sourceType: shortText(value, "digitalSourceType"),
    description: shortText(value, "description"),
    ingredients: named.flatMap((one) => {
      const url = textIn(one, "url");
      return url === undefined ? [] : [assertionNamed(url)];
    }),
  };
}

/** Which program wrote a claim, with its version. */
export function generatorOf({ claim }: Manifest): string | undefined {
  const info = memberOf(claim, "claim_generator_info");
  const first = Array.isArray(info) ? (info as readonly Cbor[])[0] : info;
  const [name, version] = [shortText(first, "name"), shortText(first, "version")];
  if (name !== undefined) return version === undefined ? name : `${name} ${version}`;
  return shortText(claim, "claim_generator");
}
