/** What C reads and writes through imports, by the numbers that it knows it by. */

/** Belongs to an instance, and goes with it when it is given up. */
type Owner = object;

/** Values by number, of each instance its own; the exports of the instance stand for it. */
export class Numbered<Value> {
  private readonly tables = new WeakMap<Owner, Map<number, Value>>();
  private last = 0;

  /** The number of `value`, until `take`. */
  add(owner: Owner, value: Value): number {
    const table = this.tables.get(owner) ?? new Map<number, Value>();
    this.tables.set(owner, table);
    table.set(++this.last, value);
    return this.last;
  }

  get(owner: Owner, number: number): Value | undefined {
    return this.tables.get(owner)?.get(number);
  }

  /** The value, which has no number any more. */
  take(owner: Owner, number: number): Value | undefined {
    const value = this.get(owner, number);
    this.tables.get(owner)?.delete(number);
    return value;
  }
}
