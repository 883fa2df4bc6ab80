/** Several databases in wrangler.toml. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { pieces, readNames, withIds } from "../../src/cli/cloudflare.ts";
import { ROOT } from "../../src/cli/wrangler.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "databases-"));
});
afterEach(() => rm(folder, { recursive: true }));

const committed = () => readFile(join(ROOT, "wrangler.toml"), "utf8");
const further = (binding: string, name: string, rest = 'migrations_dir = "src/migrations"') => `
[[d1_databases]]
database_id = "00000000-0000-0000-0000-000000000001"
binding = "${binding}"
database_name = "${name}"
${rest}
`;

async function namesOf(...more: readonly string[]) {
  const path = join(folder, "wrangler.toml");
  await writeFile(path, (await committed()) + more.join(""));
  return readNames(path);
}

it("are made and migrated each, the directory first", async () => {
  const names = await namesOf(further("DB_2", "darkroom-2"), further("DB_1", "darkroom-1"));
  expect(names.databases).toEqual(["darkroom", "darkroom-2", "darkroom-1"]);
  const titles = pieces(names, {}).map(({ title }) => title);
  expect(titles.filter((title) => title.startsWith("D1"))).toEqual([
    'D1 database "darkroom"',
    'D1 database "darkroom-2"',
    'D1 database "darkroom-1"',
  ]);
});

it("keep an id that the platform gave, and are not asked for then", async () => {
  const path = join(folder, "wrangler.toml");
  const id = "5a1f0c9e-7d1b-4a53-9a8e-2f1c6b7d8e90";
  const text = (await committed()).replace("00000000-0000-0000-0000-000000000000", id);
  await writeFile(path, text + further("DB_1", "darkroom-1"));
  const names = await readNames(path);
  expect([...names.ids]).toEqual([["darkroom", id]]);
  const piece = pieces(names, { env: { ...process.env, PATH: "" } }).find(
    ({ title }) => title === 'D1 database "darkroom"',
  );
  expect(await piece?.present()).toBe(true);
});

it("get the ids of the account, each its own, and nothing else changes", async () => {
  const text = (await committed()) + further("DB_1", "darkroom-1");
  const ids = new Map([
    ["darkroom", "id-of-the-first"],
    ["darkroom-1", "id-of-the-second"],
  ]);
  expect(withIds(text, ids)).toBe(
    text
      .replace('database_id = "00000000-0000-0000-0000-000000000000"', 'database_id = "id-of-the-first"')
      .replace('database_id = "00000000-0000-0000-0000-000000000001"', 'database_id = "id-of-the-second"'),
  );
  expect(withIds(text, new Map())).toBe(text);
});

it.each([
  [further("SHARD", "darkroom-1"), "The D1 database SHARD must be bound as DB, DB_1, DB_2 and so on"],
  [
    further("DB_1", "darkroom-1", ""),
    'The D1 database DB_1 must have a database_name and migrations_dir = "src/migrations"',
  ],
  [further("DB_1", "darkroom"), "Two D1 databases of wrangler.toml have one name"],
])("are refused before anything is done when the Worker would not find them: %s", async (more, message) => {
  await expect(namesOf(more)).rejects.toThrow(message);
});
