/** Rules about the actions and ingredients of a manifest. */
import { MAX_TEXT_CHARACTERS } from "./limits.ts";
import {
  type Action,
  actionsOf,
  firsts,
  type Ingredient,
  ingredientsOf,
  Malformed,
  type Manifest,
} from "./manifest.ts";

/** What was done, and with what. */
export interface Parts {
  readonly actions: readonly Action[];
  readonly ingredients: readonly Ingredient[];
}

/** The actions and ingredients of a manifest; what cannot be read of them is told among its failures. */
export function partsOf(manifest: Manifest, failures: string[]): Parts {
  const read = <Part>(of: (manifest: Manifest) => readonly Part[], code: string): readonly Part[] => {
    try {
      return of(manifest);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      failures.push(code);
      return [];
    }
  };
  return {
    actions: read(actionsOf, "assertion.action.malformed"),
    ingredients: read(ingredientsOf, "assertion.ingredient.malformed"),
  };
}

const FIRST_ACTIONS: ReadonlySet<string> = new Set(["c2pa.created", "c2pa.opened"]);
const UPDATE_ACTIONS: ReadonlySet<string> = new Set([
  "c2pa.edited.metadata",
  "c2pa.opened",
  "c2pa.published",
  "c2pa.redacted",
]);

/** Rules of the second version about actions (C2PA 2.2, 18.15). */
export function checkActions({ isUpdate }: Manifest, { actions, ingredients }: Parts, failures: string[]): void {
  const [first] = actions;
  if (isUpdate) {
    if (actions.some(({ action }) => !UPDATE_ACTIONS.has(action))) failures.push("manifest.update.invalid");
    return;
  }
  const isBegun = first !== undefined && FIRST_ACTIONS.has(first.action);
  if (!isBegun || actions.slice(1).some(({ action }) => FIRST_ACTIONS.has(action)))
    failures.push("assertion.action.malformed");
  const byLabel = firsts(ingredients);
  for (const { action, ingredients: named } of actions) {
    const relationship = action === "c2pa.opened" ? "parentOf" : action === "c2pa.placed" ? "componentOf" : undefined;
    if (!relationship) continue;
    const found = named.map((label) => byLabel.get(label));
    const isRight = found.length > 0 && found.every((one) => one?.relationship === relationship);
    if (!isRight) failures.push("assertion.action.ingredientMismatch");
  }
}

/** A manifest has one parent at most, and one that updates another has one. */
export function checkParents({ isUpdate }: Manifest, ingredients: readonly Ingredient[], failures: string[]): void {
  const parents = ingredients.filter(({ relationship }) => relationship === "parentOf").length;
  if (isUpdate && parents !== 1) failures.push("manifest.update.wrongParents");
  else if (parents > 1) failures.push("manifest.multipleParents");
}

/** What is wrong with a manifest, by its label. */
export interface Found {
  readonly manifest: string;
  readonly code: string;
}

/** The failures of an ingredient that its signer did not know, or did not tell. */
export function unrecorded(failures: readonly Found[], { recorded }: Ingredient): readonly Found[] {
  if (failures.length === 0) return [];
  // By the steps of their addresses; where those name no manifest, of any.
  const told = new Set(
    recorded.flatMap(({ code, url }) => {
      // No word of the standard is as long.
      if (code.length > MAX_TEXT_CHARACTERS) return [];
      return url.includes("/c2pa/") ? url.split("/").map((step) => `${code} ${step}`) : [code];
    }),
  );
  return failures.filter(({ manifest, code }) => !told.has(code) && !told.has(`${code} ${manifest}`));
}
