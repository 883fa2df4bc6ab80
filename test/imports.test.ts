/** Imports go one way: the table of rooms says who may import whom, types and dynamic imports included. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, it } from "vitest";

import { type Room, ROOMS } from "./support/import-table.ts";

const ROOT = join(import.meta.dirname, "..");
const { imports: ALIASES } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  imports: Readonly<Record<string, string>>;
};

interface Import {
  readonly specifier: string;
  readonly isType: boolean;
}

/** Everything that a module imports: statically, as a type, dynamically, and in types. */
function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string | undefined, isType: boolean): void => {
    if (specifier !== undefined) found.push({ specifier, isType });
  };
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`);
  new Visitor({
    ImportDeclaration: ({ source, importKind, specifiers }) => {
      const areTypes =
        specifiers.length > 0 && specifiers.every((it) => "importKind" in it && it.importKind === "type");
      add(source.value, importKind === "type" || areTypes);
    },
    ExportNamedDeclaration: ({ source, exportKind }) => add(source?.value, exportKind === "type"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source.value, exportKind === "type"),
    TSImportType: ({ source }) => add(source.value, true),
    ImportExpression: ({ source }) => {
      if (source.type !== "Literal" || typeof source.value !== "string")
        throw new Error(`${path} imports what only running it tells`);
      add(source.value, false);
    },
  }).visit(program);
  return found;
}

/** The file that an import means, from the root of the repository; a package as it is. */
function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith(".")) return normalize(join(dirname(path), specifier));
  for (const [alias, place] of Object.entries(ALIASES)) {
    const [start = "", end = ""] = alias.split("*");
    if (specifier.startsWith(start) && specifier.endsWith(end))
      return normalize(place.replace("*", specifier.slice(start.length, specifier.length - end.length)));
  }
  return specifier;
}

/** The room of a file, and that of its paths that decided it. */
function roomOf(file: string): readonly [name: string, path: string] {
  const fitting = Object.entries(ROOMS).flatMap(([name, { paths }]) =>
    paths.filter((path) => file === path || file.startsWith(`${path}/`)).map((path) => [name, path] as const),
  );
  const [best] = fitting.toSorted(([, one], [, other]) => other.length - one.length);
  if (!best) throw new Error(`${file} is in no room`);
  return best;
}

const FILES = ["src", "wasm"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:ts|js)$/.test(path) && path !== "src/worker.d.ts"),
);
const IMPORTS = FILES.flatMap((path) =>
  importsOf(path, readFileSync(join(ROOT, path), "utf8")).map(({ specifier, isType }) => ({
    path,
    target: targetOf(path, specifier),
    isType,
  })),
);
const INSIDE = IMPORTS.filter(({ target }) => /^(?:src|wasm)\//.test(target));

/** What allows an import: the row's own word for it; nothing where none does. */
function allowed({ path, target, isType }: (typeof IMPORTS)[number]): string | undefined {
  const [name, from] = roomOf(path);
  const { imports, types = [], areApart = false }: Room = ROOMS[name] ?? { paths: [], imports: [] };
  if (imports.includes(target)) return target;
  const [room, to] = roomOf(target);
  if (room === name) return areApart && from !== to ? undefined : name;
  if (imports.includes(room)) return room;
  return isType && types.includes(room) ? `${room}, types` : undefined;
}

describe("imports", () => {
  it("are found in every way that there is to write one", () => {
    const text = `
      import type { A } from "./a"; import b, { type B } from "./b"; import { type C } from "./c"; import "./d";
      export * from "./e"; export type { F } from "./f"; type G = import("./g").G; const h = await import("./h");`;
    const found = importsOf("some.ts", text).map(
      ({ specifier, isType }) => `${specifier} ${isType ? "type" : "value"}`,
    );
    expect(found.toSorted()).toEqual([
      "./a type",
      "./b value",
      "./c type",
      "./d value",
      "./e value",
      "./f type",
      "./g type",
      "./h value",
    ]);
  });

  it("go where the table allows", () => {
    expect(INSIDE.length).toBeGreaterThan(3000);
    const wrong = INSIDE.filter((each) => allowed(each) === undefined);
    expect(wrong.map(({ path, target }) => `${path} -> ${target}`)).toEqual([]);
  });

  it("reach the packages that the table names, and each of those", () => {
    const found = IMPORTS.filter(({ target }) => !/^(?:src|wasm)\//.test(target)).map(({ path, target }) => {
      const [room] = roomOf(path);
      const packages = ROOMS[room]?.packages ?? [];
      const named = packages.find((name) => `${target}/`.startsWith(name.endsWith(":") ? name : `${name}/`));
      return { arrow: `${path} -> ${target}`, row: named === undefined ? "" : `${room} -> ${named}` };
    });
    expect(found.filter(({ row }) => row === "").map(({ arrow }) => arrow)).toEqual([]);
    const rows = Object.entries(ROOMS).flatMap(([room, { packages = [] }]) => packages.map((it) => `${room} -> ${it}`));
    expect(rows.toSorted()).toEqual([...new Set(found.map(({ row }) => row))].toSorted());
  });

  it("lead from no file back to itself, types included", () => {
    const targets = Map.groupBy(INSIDE, ({ path }) => path);
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
      if (done.has(file) || way.includes(file)) return;
      for (const { target } of targets.get(file) ?? []) walk(target, [...way, file]);
      done.add(file);
    };
    for (const file of FILES) walk(file, []);
    expect(circles).toEqual([]);
  });
});

describe("the table of rooms", () => {
  const names = Object.keys(ROOMS);

  it("names only rooms above, so that no arrow leads back", () => {
    const backward = Object.entries(ROOMS).flatMap(([name, { imports, types = [] }]) =>
      [...imports, ...types]
        .map((each) => (names.includes(each) ? each : roomOf(each)[0]))
        .filter((each) => names.indexOf(each) >= names.indexOf(name))
        .map((each) => `${name} -> ${each}`),
    );
    expect(backward).toEqual([]);
  });

  it("allows nothing that nobody does", () => {
    const used = new Set(INSIDE.map((each) => `${roomOf(each.path)[0]} -> ${allowed(each)}`));
    const idle = Object.entries(ROOMS).flatMap(([name, { imports, types = [] }]) =>
      [...imports, ...types.map((each) => `${each}, types`)]
        .map((each) => `${name} -> ${each}`)
        .filter((each) => !used.has(each)),
    );
    expect(idle).toEqual([]);
  });

  it("has a row for every folder: leaves lie beside each other, directly in src", () => {
    expect(FILES.filter((path) => roomOf(path)[0] === "leaves" && !/^src\/[^/]+$/.test(path))).toEqual([]);
  });

  it("has no loose file of the engine but its registries", () => {
    const loose = FILES.filter((path) => /^src\/image\/[^/]+$/.test(path));
    expect(loose).toEqual(["analyses", "filters", "formats", "operations"].map((name) => `src/image/${name}.ts`));
  });
});
