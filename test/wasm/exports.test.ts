/** What native modules export, against the prototypes of their C. */
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { exportedTypes, exportsSource, ownModules, prototypesIn, signaturesOf, typeOf } from "../../wasm/signatures.ts";

const WASM = join(import.meta.dirname, "..", "..", "wasm");

describe.each(await ownModules())("%s", (module) => {
  /** `npm run docs:tables` writes the file anew. */
  it("has the signatures of its functions as they are in C", async () => {
    await expect(await exportsSource(module)).toMatchFileSnapshot(join(WASM, module, "exports.ts"));
  });

  it("was built from these prototypes", async () => {
    const declared = (await signaturesOf(module)).map((signature) => [signature.name, typeOf(signature)] as const);
    expect(new Map(declared)).toEqual(await exportedTypes(module));
  });
});

it("reads prototypes with their comments, parameters of several lines, and C++", () => {
  const source = `
// Not exported.
static int helper(int a) { return a; }

// Opens it, \`most_rows\` at a time.
// 0 when memory does not suffice.
struct reader *EXPORT(reader_open)(uint32_t size, double scale,
                                   const uint8_t *from, int most_rows) {
  return 0;
}
const Decoder* EXPORT(reader_next)(void) { return 0; }
`;
  const signatures = prototypesIn(source);
  expect(signatures[0]).toMatchObject({
    name: "reader_open",
    comment: "Opens it, `mostRows` at a time.\n0 when memory does not suffice.",
    parameters: [{ name: "size" }, { name: "scale" }, { name: "from", isPointer: true }, { name: "mostRows" }],
    result: { isPointer: true },
  });
  expect(signatures.map(typeOf)).toEqual(["i32 f64 i32 i32 -> i32", " -> i32"]);
});
