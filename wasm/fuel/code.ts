/**
 * Functions that charge for what they do. Each adds up operators in a local of its own, which costs next to nothing, and
 * takes the sum from the counter where it ends, and in its loops whenever the sum is large.
 *
 * Added up are stretches of operators without a jump: long ones where they stand, short ones, and the one that a loop or
 * a function begins with, at the head of that loop or function. A function that only goes straight ahead does not
 * count: those that call it know what it does. What moves or fills memory goes through functions that charge by the
 * length.
 *
 * No work goes on without being paid. Operators are repeated by loops and by calls. Every loop looks at the sum each time
 * it begins anew, however short it is, since there may be no end to it. Every function that counts pays as it returns,
 * and how many have not returned is bounded by the stack. What is owed at any time is therefore at most MAX_OWED and one
 * pass through a loop for each of them.
 */
import { Cursor, joined, signed, unsigned } from "./binary.ts";
import { costOf, straightOnes } from "./costs.ts";
import { type Body, type Edit, edited } from "./edits.ts";
import { type Operator, operatorsOf } from "./operators.ts";

export const OPCODE = {
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  tailCall: 0x12,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  constant: 0x41,
  less: 0x48,
  greaterUnsigned: 0x4b,
  plus: 0x6a,
  minus: 0x6b,
  shiftRight: 0x76,
  reference: 0xd2,
} as const;
/** The type of a block without values. */
export const EMPTY = 0x40;
const I32 = 0x7f;

/** Operators after which others may stand that are not reached from there. */
const FORKS = new Set(
  "loop if else end br br_if br_table return unreachable return_call return_call_indirect".split(" "),
);
const JUMPS = new Set(["br", "br_if", "br_table"]);
const RETURNS = new Set(["return", "return_call", "return_call_indirect"]);
/** Stretches of so many operators are counted where they stand, for they may be passed by. */
const LONG = 24;
/** What a function may have added up without taking it from the counter. */
const MAX_OWED = 1 << 14;

/** Where everything is in the module that comes of it. */
export interface Places {
  /** Imported functions before, and how many are added after them. */
  readonly imported: number;
  readonly added: number;
  readonly counter: number;
  readonly refuel: number;
  readonly spend: number;
  readonly copy: number;
  readonly fill: number;
}

/** The index of a function once others are imported before it. */
export function shifted(index: number, { imported, added }: Pick<Places, "imported" | "added">): number {
  return index < imported ? index : index + added;
}

/** All functions of a module, in the order in which they stand in it. `parameters` has how many each of them takes. */
export function chargedBodies(
  binary: Uint8Array,
  code: Uint8Array,
  parameters: readonly number[],
  places: Places,
): Body[] {
  const functions = operatorsOf(binary);
  const straight = straightOnes(functions, places.imported);
  const cursor = new Cursor(code);
  if (cursor.unsigned() !== functions.length) throw new Error("the parser saw other functions");
  return functions.map((operators, index) => {
    const length = cursor.unsigned();
    const offset = code.byteOffset - binary.byteOffset + cursor.at;
    const body = cursor.take(length);
    const locals = new Locals(body, parameters[index] ?? 0);
    const counts = !straight.has(places.imported + index);
    const charges = counts ? new Charges(operators, locals.next, straight, places).all() : [];
    const edits = [...replacements(operators, places), ...charges].toSorted(
      (a, b) => a.start - b.start || a.end - b.end,
    );
    return edited(counts ? locals.withOne() : locals.bytes, { body, from: locals.end, offset }, edits);
  });
}

/** What a function declares before its first operator. */
class Locals {
  readonly bytes: Uint8Array;
  readonly end: number;
  /** The index that a further local has. */
  readonly next: number;
  private readonly groups: number;

  constructor(body: Uint8Array, parameters: number) {
    const cursor = new Cursor(body);
    this.groups = cursor.unsigned();
    let count = parameters;
    for (let left = this.groups; left > 0; left--) {
      count += cursor.unsigned();
      cursor.byte();
    }
    this.next = count;
    this.end = cursor.at;
    this.bytes = cursor.since(0);
  }

  withOne(): Uint8Array {
    const old = this.bytes.subarray(unsigned(this.groups).length);
    return joined([unsigned(this.groups + 1), old, [1, I32]]);
  }
}

/** What must be said anew: indices of functions, and what moves memory. */
function replacements(operators: readonly Operator[], places: Places): Edit[] {
  const edits: Edit[] = [];
  for (const { name, start, end, target } of operators) {
    const index = target === undefined ? [] : unsigned(shifted(target, places));
    if (name === "memory.copy") edits.push({ start, end, bytes: [OPCODE.call, ...unsigned(places.copy)] });
    else if (name === "memory.fill") edits.push({ start, end, bytes: [OPCODE.call, ...unsigned(places.fill)] });
    else if (name === "call") edits.push({ start, end, bytes: [OPCODE.call, ...index] });
    else if (name === "return_call") edits.push({ start, end, bytes: [OPCODE.tailCall, ...index] });
    else if (name === "ref.func") edits.push({ start, end, bytes: [OPCODE.reference, ...index] });
    else if (target !== undefined) throw new Error(`not known: ${name}`);
  }
  return edits;
}

/** A loop, or a function without its loops. */
interface Region {
  readonly at: number;
  cost: number;
}

/** What charges in one function. */
class Charges {
  private readonly edits: Edit[] = [];
  /** Of each block that is open, the loop or function that it is in. */
  private readonly open: Region[] = [];
  private readonly operators: readonly Operator[];
  private readonly local: readonly number[];
  private readonly straight: ReadonlyMap<number, number>;
  private readonly places: Places;

  constructor(operators: readonly Operator[], local: number, straight: ReadonlyMap<number, number>, places: Places) {
    this.operators = operators;
    this.local = unsigned(local);
    this.straight = straight;
    this.places = places;
  }

  all(): Edit[] {
    const start = this.operators[0]?.start ?? 0;
    const whole: Region = { at: start, cost: 1 };
    let region = whole;
    let stretch = { at: start, cost: 0 };
    for (const operator of this.operators) {
      const { name, end } = operator;
      this.leave(operator);
      stretch.cost += costOf(operator, this.straight);
      if (FORKS.has(name)) {
        const isHead = stretch.at === region.at;
        if (isHead || stretch.cost < LONG) region.cost += stretch.cost;
        else this.add(stretch);
        stretch = { at: end, cost: 0 };
      }
      if (name === "block" || name === "if") this.open.push(region);
      else if (name === "loop") {
        this.open.push(region);
        region = { at: end, cost: 1 };
      } else if (name === "end") {
        const around = this.open.pop() ?? whole;
        if (region !== around) this.loop(region);
        region = around;
      }
    }
    const { constant, localSet } = OPCODE;
    // The local is nothing at the entry, whatever is inserted there besides.
    return [{ start, end: start, bytes: [constant, ...signed(whole.cost), localSet, ...this.local] }, ...this.edits];
  }

  private add({ at, cost }: { readonly at: number; readonly cost: number }): void {
    const { localGet, localSet, constant, plus } = OPCODE;
    const bytes = [localGet, ...this.local, constant, ...signed(cost), plus, localSet, ...this.local];
    this.edits.push({ start: at, end: at, bytes });
  }

  /** At the head of a loop: takes from the counter what was added up, once it is much. */
  private loop({ at, cost }: Region): void {
    const { localGet, localSet, localTee, constant, plus, greaterUnsigned, call, end } = OPCODE;
    const { local } = this;
    const add = [localGet, ...local, constant, ...signed(cost), plus, localTee, ...local];
    const isMuch = [...add, constant, ...signed(MAX_OWED), greaterUnsigned];
    const pay = [localGet, ...local, call, ...unsigned(this.places.spend), constant, 0, localSet, ...local];
    // What is inserted at the same place goes behind it.
    const bytes = [...isMuch, OPCODE.if, EMPTY, ...pay, end];
    this.edits.unshift({ start: at, end: at, bytes, unlikely: isMuch.length });
  }

  /** Before what may leave the function: takes from the counter what is owed. */
  private leave({ name, start, jump = -1 }: Operator): void {
    const depth = this.open.length;
    const isLast = name === "end" && depth === 0;
    const jumps = JUMPS.has(name) && jump >= depth;
    if (!isLast && !jumps && !RETURNS.has(name)) return;
    const { globalGet, globalSet, localGet, localSet, localTee, constant, minus, less, call, end } = OPCODE;
    const { local } = this;
    const global = unsigned(this.places.counter);
    const pay = [globalGet, ...global, localGet, ...local, minus, localTee, ...local, globalSet, ...global];
    const isEmpty = [...pay, localGet, ...local, constant, 0, less];
    const ask = [OPCODE.if, EMPTY, call, ...unsigned(this.places.refuel), end];
    const reset = jumps ? [constant, 0, localSet, ...local] : [];
    this.edits.push({ start, end: start, bytes: [...isEmpty, ...ask, ...reset], unlikely: isEmpty.length });
  }
}
