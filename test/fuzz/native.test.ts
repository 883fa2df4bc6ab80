/** Our own C under sanitizers: the seeds, what was found before, and some thousand inputs made of them. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { prototypesIn } from "../../wasm/signatures.ts";
import { buildTarget, fuzzTimes, targets } from "./native.ts";

/**
 * Modules that contain little of others, and the decoder that wrote beyond its memory once: together they are built in a
 * minute, the rest in many.
 */
const MODULES = ["gif", "pixels", "quantize", "effects", "score", "superres", "jpeg2000"];
/** Of each: seconds. */
const RUNS = 500;
/** What apt says where the archive that sources are fetched from is out of reach. */
const UNREACHABLE = /Failed to fetch|Could not resolve|Unable to connect|Temporary failure/;
const PACKAGES = [
  "llvm-19",
  "libclang-rt-19-dev",
  "libsimde-dev",
  "libc6-dev-i386",
  "lib32gcc-12-dev",
  "lib32stdc++-12-dev",
];
const APT = "/usr/bin/apt-get";
const NEEDED = [
  "/usr/bin/llvm-objcopy-19",
  "/usr/include/simde",
  "/usr/lib32/libc.so",
  "/usr/lib/gcc/x86_64-linux-gnu/12/32/libstdc++.a",
];

/** Some kernels of 64 bits are built without programs of 32. */
function kernelObstacle(): string | undefined {
  const { status } = spawnSync("/lib/ld-linux.so.2", ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "the kernel runs no programs of 32 bits";
}

/** Why there can be no such builds on this machine; nothing where there can. */
function obstacle(): string | undefined {
  if (process.arch !== "x64") return "sanitized builds are for x86";
  if (!existsSync("/usr/bin/clang-19") || !existsSync("/usr/bin/ld.lld-19"))
    return "clang-19 or lld-19 is not installed";
  if (NEEDED.every((path) => existsSync(path))) return kernelObstacle();
  if (process.getuid?.() !== 0) return `one of these is not installed: ${PACKAGES.join(" ")}`;
  try {
    execFileSync(APT, ["install", "-q", "-y", "--no-install-recommends", ...PACKAGES], { stdio: "ignore" });
    return kernelObstacle();
  } catch {
    return `these could not be installed: ${PACKAGES.join(" ")}`;
  }
}

const NATIVE = join(import.meta.dirname, "native");
const WASM = join(import.meta.dirname, "../../wasm");

const missing = obstacle();

describe.skipIf(missing !== undefined)(`native modules under sanitizers${missing ? ` (${missing})` : ""}`, () => {
  it("leave the modules that are committed as they are", () => {
    const script = "here=$PWD/gif; source source.sh; count_work gif/gif.wasm";
    const folders = { BUILD_TARGET: join(NATIVE, "sanitized.sh"), SANITIZED: tmpdir() };
    const before = readFileSync(join(WASM, "gif/gif.wasm"));
    execFileSync("bash", ["-c", script], { cwd: WASM, env: { ...process.env, ...folders }, stdio: "ignore" });
    expect(readFileSync(join(WASM, "gif/gif.wasm")).equals(before)).toBe(true);
  });

  it.for(MODULES)("stay within their memory, free it and compute nothing undefined: %s", (module, { skip }) => {
    try {
      buildTarget(module);
    } catch (error) {
      skip(UNREACHABLE.test(String(error)), "its source could not be fetched");
      throw error;
    }
    const { good, log } = fuzzTimes(module, RUNS);
    expect(good, log.slice(-6_000)).toBe(true);
  });
});

describe("targets", () => {
  it.each(targets())("call functions as the module has them: %s", (target) => {
    const prototypes = prototypesIn(sourcesOf(join(WASM, target)));
    const defined = new Map(prototypes.map(({ name, parameters }) => [name, parameters.length]));
    const declared = parametersIn(sourcesOf(NATIVE, `${target}.cc`), /(\w+)\(([^();]*)\);/g);
    expect([...declared.keys()].some((name) => defined.has(name))).toBe(true);
    for (const [name, count] of declared)
      if (defined.has(name)) expect([name, count]).toEqual([name, defined.get(name)]);
  });
});

/** The C of a module or of a target, without comments. */
function sourcesOf(folder: string, only?: string): string {
  const names = readdirSync(folder).filter((name) => (only ? name === only : /\.(?:c|cc)$/.test(name)));
  return names.map((name) => readFileSync(join(folder, name), "utf8").replaceAll(/\/\/.*$/gm, "")).join("\n");
}

/** How many parameters functions have, by their names: the linker takes one with fewer for the same. */
function parametersIn(source: string, functions: RegExp): ReadonlyMap<string, number> {
  const found = [...source.matchAll(functions)].map(([, name = "", parameters = ""]) => {
    const isEmpty = /^\s*(?:void)?\s*$/.test(parameters);
    return [name, isEmpty ? 0 : parameters.split(",").length] as const;
  });
  return new Map(found.toReversed());
}
