/**
 * Makes the work of a WebAssembly module measurable: `node wasm/fuel/instrument.ts IN OUT [MAX_MEMORY_BYTES]`.
 *
 * The module gets a counter, the exported global `fuel`, from which its functions and loops take what they do
 * (`code.ts`). Once it is below nothing the module calls `env.refuel`, which fills it, or ends the call by a throw; where
 * that returns 1 the module calls `env.pause` besides, which may leave its stack. `../instance.ts` has both.
 *
 * The code itself stays as its compiler wrote it; the same module gives the same bytes. Binaryen would be the usual
 * tool, but its interface for JavaScript has no way to visit the operators of a function, and it writes all code anew.
 *
 * A custom section tells the engine that the branches behind which fuel is asked for are hardly ever taken (edits.ts).
 * Without it each loop would keep its values in memory for the call that it hardly ever makes.
 */
import { readFileSync, writeFileSync } from "node:fs";

import { Cursor, extended, joined, SECTION, type Section, sectionsOf, text, unsigned, written } from "./binary.ts";
import { chargedBodies, EMPTY, OPCODE, type Places, shifted } from "./code.ts";
import { type Body, hints } from "./edits.ts";

const FUNCTION_TYPE = 0x60;
const I32 = 0x7f;
const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const;
/** Of WebAssembly memory. */
const PAGE_BYTES = 65_536;

/** Bytes that are moved or filled in the time of one operator, as a power of two. */
const MOVED_BYTES_LOG2 = 4;

/** What is added: types, imports, and functions that the module's own call, with the types of both. */
const TYPES = [
  [FUNCTION_TYPE, 0, 1, I32],
  [FUNCTION_TYPE, 0, 0],
  [FUNCTION_TYPE, 1, I32, 0],
  [FUNCTION_TYPE, 3, I32, I32, I32, 0],
];
const IMPORTS = ["refuel", "pause"];
const HELPER_TYPES = [1, 2, 3, 3];

/** The sections of a module in their order; of custom ones there is ours, which is of the code. */
const ORDER = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, SECTION.custom, 10, 11];

/** A module whose work takes from a counter; its memory grows to `maxBytes` at most, if that is less than it says. */
export function instrumented(binary: Uint8Array, maxBytes?: number): Uint8Array {
  const old = new Map(sectionsOf(binary).map(({ id, payload }) => [id, payload]));
  const payload = (id: number) => old.get(id) ?? new Uint8Array([0]);
  const count = (id: number) => new Cursor(payload(id)).unsigned();
  const imported = importedFunctions(payload(SECTION.import));
  const own = imported + IMPORTS.length + count(SECTION.function);
  const places: Places = {
    imported,
    added: IMPORTS.length,
    counter: count(SECTION.global),
    refuel: own,
    spend: own + 1,
    copy: own + 2,
    fill: own + 3,
  };
  const type = count(SECTION.type);
  const bodies = chargedBodies(binary, payload(SECTION.code), parametersOf(payload), places);
  const all = [...bodies, ...helpers(places)];
  const code = all.map(({ bytes }) => joined([unsigned(bytes.length), bytes]));
  const changed = new Map(old);
  const extend = (id: number, items: readonly number[][], from = payload(id)) => changed.set(id, extended(from, items));
  extend(SECTION.type, TYPES);
  extend(SECTION.import, importsOf(type));
  extend(
    SECTION.function,
    HELPER_TYPES.map((more) => unsigned(type + more)),
  );
  extend(SECTION.global, [[I32, 1, OPCODE.constant, 0, OPCODE.end]]);
  const exports = changedExports(payload(SECTION.export), places);
  extend(SECTION.export, [[...text("fuel"), KIND.global, ...unsigned(places.counter)]], exports);
  changed.set(SECTION.code, joined([unsigned(code.length), ...code]));
  changed.set(SECTION.custom, hints(all, imported + IMPORTS.length));
  if (old.has(SECTION.start)) changed.set(SECTION.start, joined([unsigned(shifted(count(SECTION.start), places))]));
  if (old.has(SECTION.element)) changed.set(SECTION.element, changedElements(payload(SECTION.element), places));
  if (maxBytes !== undefined) changed.set(SECTION.memory, limited(payload(SECTION.memory), maxBytes));
  const sections = ORDER.flatMap((id): Section[] => {
    const found = changed.get(id);
    return found ? [{ id, payload: found }] : [];
  });
  return written(binary, sections);
}

function importedFunctions(payload: Uint8Array): number {
  const cursor = new Cursor(payload);
  const count = cursor.unsigned();
  for (let left = count; left > 0; left--) {
    cursor.take(cursor.unsigned());
    cursor.take(cursor.unsigned());
    if (cursor.byte() !== KIND.function) throw new Error("only imports of functions are known");
    cursor.unsigned();
  }
  return count;
}

/** How many parameters each function of the module itself has. */
function parametersOf(payload: (id: number) => Uint8Array): number[] {
  const types = new Cursor(payload(SECTION.type));
  const counts = Array.from({ length: types.unsigned() }, () => {
    if (types.byte() !== FUNCTION_TYPE) throw new Error("only types of functions are known");
    const parameters = types.take(types.unsigned()).length;
    types.take(types.unsigned());
    return parameters;
  });
  const functions = new Cursor(payload(SECTION.function));
  return Array.from({ length: functions.unsigned() }, () => counts[functions.unsigned()] ?? 0);
}

function importsOf(type: number): number[][] {
  return IMPORTS.map((name, index) => [...text("env"), ...text(name), KIND.function, ...unsigned(type + index)]);
}

function changedExports(payload: Uint8Array, places: Places): Uint8Array {
  const cursor = new Cursor(payload);
  const count = cursor.unsigned();
  const parts: (Uint8Array | number[])[] = [unsigned(count)];
  for (let left = count; left > 0; left--) {
    const from = cursor.at;
    cursor.take(cursor.unsigned());
    const kind = cursor.byte();
    parts.push(cursor.since(from));
    const index = cursor.unsigned();
    parts.push(unsigned(kind === KIND.function ? shifted(index, places) : index));
  }
  return joined(parts);
}

/** Only segments of the plain kind: functions by their indices, put into the first table at a constant place. */
function changedElements(payload: Uint8Array, places: Places): Uint8Array {
  const cursor = new Cursor(payload);
  const segments = cursor.unsigned();
  const parts: (Uint8Array | number[])[] = [unsigned(segments)];
  for (let left = segments; left > 0; left--) {
    const from = cursor.at;
    const [flags, opcode] = [cursor.unsigned(), cursor.byte()];
    if (flags !== 0 || opcode !== OPCODE.constant) throw new Error("only plain segments of functions are known");
    cursor.skipNumber();
    cursor.byte();
    const count = cursor.unsigned();
    parts.push(cursor.since(from));
    for (let index = 0; index < count; index++) parts.push(unsigned(shifted(cursor.unsigned(), places)));
  }
  return joined(parts);
}

function limited(payload: Uint8Array, maxBytes: number): Uint8Array {
  const cursor = new Cursor(payload);
  if (cursor.unsigned() !== 1) throw new Error("only modules with one memory are known");
  const hasMost = (cursor.byte() & 1) === 1;
  const least = cursor.unsigned();
  const pages = Math.floor(maxBytes / PAGE_BYTES);
  return joined([[1, 1], unsigned(least), unsigned(hasMost ? Math.min(cursor.unsigned(), pages) : pages)]);
}

/** The functions that are added: without locals, and each with its end. */
function helpers(places: Places): Body[] {
  const { imported, counter } = places;
  const { globalGet, globalSet, localGet, constant, shiftRight, minus, less, call, end } = OPCODE;
  const global = unsigned(counter);
  const refuel = [call, ...unsigned(imported), OPCODE.if, EMPTY, call, ...unsigned(imported + 1), end];
  const taking = (amount: readonly number[], after: readonly number[]): Body => {
    const take = [0, globalGet, ...global, ...amount, minus, globalSet, ...global];
    const isEmpty = [...take, globalGet, ...global, constant, 0, less];
    const ask = [OPCODE.if, EMPTY, call, ...unsigned(places.refuel), end];
    return { bytes: Uint8Array.from([...isEmpty, ...ask, ...after, end]), unlikely: [isEmpty.length] };
  };
  const moved = [localGet, 2, constant, MOVED_BYTES_LOG2, shiftRight];
  const parameters = [localGet, 0, localGet, 1, localGet, 2];
  return [
    { bytes: Uint8Array.from([0, ...refuel, end]), unlikely: [] },
    taking([localGet, 0], []),
    taking(moved, [...parameters, 0xfc, 0x0a, 0, 0]),
    taking(moved, [...parameters, 0xfc, 0x0b, 0]),
  ];
}

if (import.meta.main) {
  const [source = "", target = "", maxBytes] = process.argv.slice(2);
  const binary = new Uint8Array(readFileSync(source));
  writeFileSync(target, instrumented(binary, maxBytes === undefined ? undefined : Number(maxBytes)));
}
