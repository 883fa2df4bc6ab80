/**
 * Functions that charge for what they do. Each adds up operators in a local of its own, which costs next to nothing, and
 * takes the sum from the counter where it ends, and in its loops whenever the sum is large.
 *
 * Added up are stretches of operators without a jump: long ones where they stand, short ones at the head of the loop
 * around them or at the entry of the function. A function that only goes straight ahead does not count: those that call
 * it know what it does. What moves or fills memory goes through functions that charge by the length.
 */
import { Cursor, joined, signed, unsigned } from "./binary.ts";
import { costOf, straightOnes } from "./costs.ts";
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
/** Stretches of so many operators are counted where they stand. */
const LONG = 24;
/**
 * Loops of so few operators, with neither loops nor calls in them, only count: to look at the sum as well would take as
 * long as the loop. They walk through memory or numbers, and are over after seconds at the latest; what counts is how
 * often they are begun, and that is looked at around them.
 */
const SHORT = 20;
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

/** Asks for fuel where the counter is below nothing. */
export function refuelling({ counter, refuel }: Places): number[] {
  const { globalGet, constant, less, call, end } = OPCODE;
  return [globalGet, ...unsigned(counter), constant, 0, less, OPCODE.if, EMPTY, call, ...unsigned(refuel), end];
}

/** All functions of a module, in the order in which they stand in it. `parameters` has how many each of them takes. */
export function chargedBodies(
  binary: Uint8Array,
  code: Uint8Array,
  parameters: readonly number[],
  places: Places,
): Uint8Array[] {
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
    return joined([counts ? locals.withOne() : locals.bytes, ...edited(body, offset, locals.end, edits)]);
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

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly bytes: readonly number[];
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
  /** It has neither loops nor calls in it. */
  isInnermost: boolean;
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
    const whole: Region = { at: start, cost: 1, isInnermost: false };
    let region = whole;
    let stretch = { at: start, cost: 0 };
    for (const operator of this.operators) {
      const { name, end } = operator;
      this.leave(operator);
      stretch.cost += costOf(operator, this.straight);
      if (name.includes("call")) region.isInnermost = false;
      if (FORKS.has(name)) {
        if (stretch.cost < LONG) region.cost += stretch.cost;
        else this.insert(stretch.at, this.added(stretch.cost));
        stretch = { at: end, cost: 0 };
      }
      if (name === "block" || name === "if") this.open.push(region);
      else if (name === "loop") {
        this.open.push(region);
        region.isInnermost = false;
        region = { at: end, cost: 1, isInnermost: true };
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

  private insert(at: number, bytes: readonly number[]): void {
    this.edits.push({ start: at, end: at, bytes });
  }

  private added(cost: number): number[] {
    const { localGet, localSet, constant, plus } = OPCODE;
    return [localGet, ...this.local, constant, ...signed(cost), plus, localSet, ...this.local];
  }

  /** At the head of a loop: takes from the counter what was added up, once it is much. */
  private loop({ at, cost, isInnermost }: Region): void {
    if (isInnermost && cost <= SHORT) {
      this.edits.unshift({ start: at, end: at, bytes: this.added(cost) });
      return;
    }
    const { localGet, localSet, localTee, constant, plus, greaterUnsigned, call, end } = OPCODE;
    const { local } = this;
    const add = [localGet, ...local, constant, ...signed(cost), plus, localTee, ...local];
    const whenMuch = [constant, ...signed(MAX_OWED), greaterUnsigned, OPCODE.if, EMPTY];
    const pay = [localGet, ...local, call, ...unsigned(this.places.spend), constant, 0, localSet, ...local, end];
    // What is inserted at the same place goes behind it.
    this.edits.unshift({ start: at, end: at, bytes: [...add, ...whenMuch, ...pay] });
  }

  /** Before what may leave the function: takes from the counter what is owed. */
  private leave({ name, start, jump = -1 }: Operator): void {
    const depth = this.open.length;
    const isLast = name === "end" && depth === 0;
    const jumps = JUMPS.has(name) && jump >= depth;
    if (!isLast && !jumps && !RETURNS.has(name)) return;
    const { globalGet, globalSet, localGet, localSet, constant, minus } = OPCODE;
    const global = unsigned(this.places.counter);
    const paid = [globalGet, ...global, localGet, ...this.local, minus, globalSet, ...global];
    const reset = jumps ? [constant, 0, localSet, ...this.local] : [];
    this.insert(start, [...paid, ...refuelling(this.places), ...reset]);
  }
}

function edited(
  body: Uint8Array,
  offset: number,
  from: number,
  edits: readonly Edit[],
): (Uint8Array | readonly number[])[] {
  const parts: (Uint8Array | readonly number[])[] = [];
  let at = from;
  for (const { start, end, bytes } of edits) {
    parts.push(body.subarray(at, start - offset), bytes);
    at = end - offset;
  }
  return [...parts, body.subarray(at)];
}
