/** What a verified store says, as answers tell it. */
import { isSynthetic } from "../metadata/source-type.ts";
import { MAX_FAILURES } from "./limits.ts";
import { placeOf } from "./manifest.ts";
import type { State, VerifiedManifest, VerifiedStore } from "./verify.ts";

/** Actions and ingredients of one manifest that are told, and those of all manifests: an answer is kept as one row. */
const MAX_TOLD = 100;
const MAX_TOLD_TOGETHER = 300;

/** The active manifest in short. */
export interface ProvenanceSummary {
  readonly manifest: true;
  readonly generator?: string;
  /** ISO 8601, by a time stamp. */
  readonly issued_at?: string;
  readonly signer?: string;
  readonly digital_source_type?: string;
  readonly state: State;
  readonly failures: string[];
  /** What is right, and to be known; absent where there is nothing. */
  readonly informational?: string[];
}

/** One manifest of the chain. */
interface ToldManifest {
  readonly generator?: string;
  readonly title?: string;
  readonly format?: string;
  readonly signer?: string;
  readonly issued_at?: string;
  readonly trusted: boolean;
  readonly actions: ToldAction[];
  readonly ingredients: ToldIngredient[];
  readonly failures: string[];
  readonly informational?: string[];
}

interface ToldAction {
  readonly action: string;
  readonly when?: string;
  readonly software?: string;
  readonly digital_source_type?: string;
  readonly description?: string;
}

interface ToldIngredient {
  readonly title?: string;
  readonly format?: string;
  readonly relationship: string;
  /** The place of its own manifest among those that are told. */
  readonly manifest?: number;
}

export interface ProvenanceChain {
  readonly state: State;
  readonly failures: string[];
  /** The active manifest first. */
  readonly manifests: ToldManifest[];
}

/** A text without control characters, each of which JSON writes in six. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "");
}

/** The members that have a value. */
function told<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  const present = Object.entries(members).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    present.map(([name, member]) => [name, typeof member === "string" ? plain(member) : member]),
  ) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined>;
  };
}

function moment(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

export function summaryOf(store: VerifiedStore): ProvenanceSummary {
  const [active] = store.manifests;
  return {
    manifest: true,
    ...told({
      generator: active?.generator,
      issued_at: moment(active?.signedAt),
      signer: active?.signer,
      digital_source_type: sourceTypeOf(store),
    }),
    state: store.state,
    failures: [...store.failures],
    ...informationOf(store.manifests.flatMap(({ informational }) => informational)),
  };
}

function informationOf(words: readonly string[]): { readonly informational?: string[] } {
  return words.length > 0 ? { informational: [...words] } : {};
}

/**
 * How the picture came to be, by the actions of the active manifest, or else of what it was made of: the first digital source
 * type, one of synthetic pictures before others.
 */
export function sourceTypeOf({ manifests }: VerifiedStore): string | undefined {
  const byLabel = new Map(manifests.map((one) => [one.label, one]));
  const stated: string[] = [];
  const seen = new Set<VerifiedManifest>();
  for (let [at] = manifests; at && !seen.has(at);) {
    seen.add(at);
    stated.push(...at.actions.flatMap(({ sourceType }) => sourceType ?? []));
    const parent = at.ingredients.find(({ relationship }) => relationship === "parentOf")?.manifest;
    at = parent && byLabel.get(placeOf(parent.url).manifest ?? "");
  }
  return stated.find(isSynthetic) ?? stated[0];
}

export function chainOf({ state, failures, manifests }: VerifiedStore): ProvenanceChain {
  const places = new Map(manifests.map(({ label }, index) => [label, index]));
  let left = MAX_TOLD_TOGETHER;
  const some = <One>(all: readonly One[]): readonly One[] => {
    const taken = all.slice(0, Math.min(MAX_TOLD, left));
    left -= taken.length;
    return taken;
  };
  return {
    state,
    failures: [...failures],
    manifests: manifests.map((one) => ({
      ...told({
        generator: one.generator,
        title: one.title,
        format: one.format,
        signer: one.signer,
        issued_at: moment(one.signedAt),
      }),
      trusted: one.trusted,
      actions: some(one.actions).map(({ action, when, software, sourceType, description }) => ({
        action: plain(action),
        ...told({ when, software, digital_source_type: sourceType, description }),
      })),
      ingredients: some(one.ingredients).map(({ title, format, relationship, manifest }) => ({
        relationship: plain(relationship),
        ...told({ title, format, manifest: manifest && places.get(placeOf(manifest.url).manifest ?? "") }),
      })),
      failures: one.failures.slice(0, MAX_FAILURES),
      ...informationOf(one.informational),
    })),
  };
}
