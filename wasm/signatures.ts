/**
 * What native modules export, as TypeScript: the names that a built module has, with the C prototypes of its sources; and
 * the types that the module itself has for them, which a test holds beside.
 */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { Cursor, SECTION, sectionsOf } from "./fuel/binary.ts";

const WASM = import.meta.dirname;
/** What every module has, as `NativeExports` says it. */
const COMMON = new Set(["malloc", "free", "_initialize"]);
/** Sources of functions that several modules have. */
const SHARED = ["heap.c"];
/** A comment, and `type EXPORT(name)(parameters) {` below it. */
const PROTOTYPE = /((?:^\/\/.*\n)*)^([\w ]+?[ *]*)EXPORT\((\w+)\)\(([^)]*)\)\s*\{/gm;
const MOST_COLUMNS = 120;

/** Types of C that are no number of 32 bits, as the binary format calls them. */
const WIDE: Readonly<Record<string, string>> = { double: "f64", float: "f32", int64_t: "i64", uint64_t: "i64" };
/** Types of the binary format, by their bytes. */
const VALUE_TYPES: Readonly<Record<number, string>> = { 0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64" };
const FUNCTION = 0;
const FUNCTION_TYPE = 0x60;

/** A value that a function takes or gives: its type as the binary format calls it. */
interface Value {
  readonly type: string;
  readonly isPointer: boolean;
}

/** A function that a module exports, by its prototype. */
export interface Signature {
  readonly name: string;
  readonly comment: string;
  readonly parameters: readonly (Value & { readonly name: string })[];
  /** Absent where it returns nothing. */
  readonly result?: Value;
}

/** Our own modules: those that the folder of the same name has C for. */
export async function ownModules(): Promise<string[]> {
  const files = await readdir(WASM, { recursive: true });
  const built = files.filter((file) => basename(file) === `${dirname(file)}.wasm`).map((file) => dirname(file));
  return built.filter((module) => files.some((file) => dirname(file) === module && /\.cc?$/.test(file))).toSorted();
}

/**
 * The functions that a module exports, by name.
 * @throws Error for one without a prototype among the module's sources
 */
export async function signaturesOf(module: string): Promise<Signature[]> {
  const known = new Map<string, Signature>();
  for (const source of await sourcesOf(module)) {
    for (const signature of prototypesIn(source)) if (!known.has(signature.name)) known.set(signature.name, signature);
  }
  return [...(await exportedTypes(module)).keys()].toSorted().map((name) => {
    const signature = known.get(name);
    if (!signature) throw new Error(`${module} has no prototype of ${name}`);
    return signature;
  });
}

/** The sources in a module's folder, then those that its recipe takes from other folders, then those of many modules. */
async function sourcesOf(module: string): Promise<string[]> {
  const recipe = await readFile(join(WASM, module, "build.sh"), "utf8");
  const own = (await readdir(join(WASM, module))).filter((file) => /\.cc?$/.test(file));
  const elsewhere = [...recipe.matchAll(/\$here"?\/\.\.\/([\w./-]+\.cc?)\b/g)].map(([, file = ""]) => file);
  const files = [...own.map((file) => join(module, file)), ...elsewhere, ...SHARED];
  return Promise.all(files.map(async (file) => readFile(join(WASM, file), "utf8")));
}

/** The prototypes of exported functions in a C or C++ source. */
export function prototypesIn(source: string): Signature[] {
  return [...source.matchAll(PROTOTYPE)].map(([, comment = "", result = "", name = "", parameters = ""]) => ({
    name,
    comment: comment
      .replaceAll(/^\/\/ ?/gm, "")
      .replaceAll(/`(\w+)`/g, (quoted, word: string) => (parameters.includes(word) ? `\`${camelCase(word)}\`` : quoted))
      .trim(),
    parameters: parameters.trim() === "void" ? [] : parameters.split(",").map(parameterOf),
    ...(result.trim() !== "void" && { result: valueOf(result) }),
  }));
}

function parameterOf(declared: string): Signature["parameters"][number] {
  const [, type = "", name = ""] = /^([\s\S]*?)(\w+)(?:\[\w*\])?$/.exec(declared.trim()) ?? [];
  return { name: camelCase(name), ...valueOf(type) };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function valueOf(type: string): Value {
  const isPointer = type.includes("*");
  return { type: (!isPointer && WIDE[type.replace("const", "").trim()]) || "i32", isPointer };
}

/** The type of a function in the way of `exportedTypes`. */
export function typeOf({ parameters, result }: Signature): string {
  return `${parameters.map(({ type }) => type).join(" ")} -> ${result?.type ?? ""}`;
}

/** The functions that a built module exports besides those that all have, with their types: `i32 f64 -> i32`. */
export async function exportedTypes(module: string): Promise<ReadonlyMap<string, string>> {
  const sections = sectionsOf(await readFile(join(WASM, module, `${module}.wasm`)));
  const items = <Item>(id: number, read: (cursor: Cursor) => Item) => {
    const cursor = new Cursor(sections.find((section) => section.id === id)?.payload ?? Uint8Array.of(0));
    return Array.from({ length: cursor.unsigned() }, () => read(cursor));
  };
  const types = items(SECTION.type, readType);
  const functions = [...items(SECTION.import, readImport), ...items(SECTION.function, (cursor) => cursor.unsigned())];
  const named = items(SECTION.export, (cursor) => {
    const [name, kind, index] = [readName(cursor), cursor.byte(), cursor.unsigned()];
    return kind === FUNCTION && !COMMON.has(name) ? [[name, types[functions[index]!]!] as const] : [];
  });
  return new Map(named.flat());
}

function readName(cursor: Cursor): string {
  return new TextDecoder().decode(cursor.take(cursor.unsigned()));
}

function readType(cursor: Cursor): string {
  if (cursor.byte() !== FUNCTION_TYPE) throw new Error("only types of functions are known");
  const values = () => [...cursor.take(cursor.unsigned())].map((byte) => VALUE_TYPES[byte]).join(" ");
  return `${values()} -> ${values()}`;
}

/** The index of the type of an imported function. */
function readImport(cursor: Cursor): number {
  readName(cursor);
  readName(cursor);
  if (cursor.byte() !== FUNCTION) throw new Error("only imports of functions are known");
  return cursor.unsigned();
}

/** The source of `exports.ts` of a module. */
export async function exportsSource(module: string): Promise<string> {
  const signatures = await signaturesOf(module);
  const name = `${module.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Exports`;
  const hasPointers = signatures.some(({ parameters, result }) =>
    [...parameters, result].some((value) => value?.isPointer),
  );
  return [
    "/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */",
    'import type { NativeExports } from "../load.ts";',
    "",
    ...(hasPointers ? ["type Pointer = number;", ""] : []),
    `export interface ${name} extends NativeExports {`,
    ...signatures.flatMap(declaration),
    "}",
    "",
  ].join("\n");
}

function declaration({ name, comment, parameters, result }: Signature): string[] {
  const typeName = (value: Value) => (value.isPointer ? "Pointer" : value.type === "i64" ? "bigint" : "number");
  const list = parameters.map((parameter) => `${parameter.name}: ${typeName(parameter)}`);
  const end = `: ${result ? typeName(result) : "void"};`;
  const line = `  ${name}(${list.join(", ")})${end}`;
  const wrapped = [`  ${name}(`, ...list.map((parameter) => `    ${parameter},`), `  )${end}`];
  return [...documentation(comment), ...(line.length > MOST_COLUMNS ? wrapped : [line])];
}

function documentation(comment: string): string[] {
  if (comment === "") return [];
  const lines = comment.split("\n");
  if (lines.length === 1 && lines[0]!.length + 9 <= MOST_COLUMNS) return [`  /** ${lines[0]} */`];
  return ["  /**", ...lines.map((line) => `   * ${line}`.trimEnd()), "   */"];
}
