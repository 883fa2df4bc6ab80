/** Rules with their tests. */
import { describe, expect, it } from "vitest";

import type { Rule } from "./rule.ts";

/** Tries each rule by its test: none is without one, and no test without a rule. */
export function holding(rules: readonly Rule[], tests: Readonly<Record<string, () => Promise<void>>>): void {
  describe("the platform of the tests keeps the rule", () => {
    it.each(rules)("$name", async ({ name, source, read }) => {
      expect(source).toMatch(/^https:\/\//);
      expect(read).toMatch(/^\d{4}-\d\d-\d\d$/);
      const holds = tests[name];
      if (!holds) throw new Error(`Nobody tries the rule "${name}"`);
      await holds();
    });
  });

  it("every test is of a rule, and no two rules have one name", () => {
    const names = rules.map(({ name }) => name);
    expect(Object.keys(tests).toSorted()).toEqual(names.toSorted());
  });
}
