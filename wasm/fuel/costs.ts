/** What operators cost, in operators. */
import type { Operator } from "./operators.ts";

/** Operators that take no time of their own. */
const FREE = new Set(
  "block loop if else end nop unreachable drop local.get local.set local.tee i32.const i64.const f32.const f64.const".split(
    " ",
  ),
);
/** A call takes about as long as so many operators; one through a table may be of a short function that does not count. */
const CALL_COST = 4;
const INDIRECT_COST = 24;
/** Reading memory takes longer than reckoning, most of all where it is not in the cache. */
const LOAD_COST = 2;
/** Functions that go straight ahead count themselves from so many operators on. */
const MAX_STRAIGHT = 400;

/** Functions without loops that call none but such, by their indices, with what they do in all. */
export function straightOnes(functions: readonly (readonly Operator[])[], imported: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const [index, operators] of functions.entries()) {
      if (found.has(imported + index)) continue;
      const isStraight = operators.every(
        ({ name, target = 0 }) =>
          name !== "loop" &&
          !name.includes("indirect") &&
          !name.startsWith("memory.") &&
          (!name.includes("call") || target < imported || found.has(target)),
      );
      const cost = operators.reduce((sum, operator) => sum + costOf(operator, found), 0);
      if (isStraight && cost <= MAX_STRAIGHT) found.set(imported + index, cost);
    }
  }
  return found;
}

/** `straight` has what functions cost that do not count themselves. */
export function costOf({ name, target }: Operator, straight: ReadonlyMap<number, number>): number {
  if (name.includes("indirect")) return INDIRECT_COST;
  if (name.includes("call")) return CALL_COST + (target === undefined ? 0 : (straight.get(target) ?? 0));
  if (FREE.has(name)) return 0;
  return name.includes("load") ? LOAD_COST : 1;
}
