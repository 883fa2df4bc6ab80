/** Rules about the actions and ingredients of a manifest. */
import { type Action, actionsOf, type Ingredient, ingredientsOf, Malformed, type Manifest } from "./manifest.ts";

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
  for (const { action, ingredients: named } of actions) {
    const relationship = action === "c2pa.opened" ? "parentOf" : action === "c2pa.placed" ? "componentOf" : undefined;
    if (!relationship) continue;
    const found = named.map((label) => ingredients.find((one) => one.label === label));
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
