/** Native modules as tests look at them, and one whose calls pause. */
import { native, type NativeExports, nativeStatistics } from "../../wasm/load.ts";
import pausing from "../fixtures/native/pausing.wasm";

/** Bytes that all instances of a module hold. */
export function memoryOf(name: string): number {
  return nativeStatistics().find((module) => module.name === name)?.memoryBytes ?? 0;
}

interface PausingExports extends NativeExports {
  sum(count: number): number;
  fail_after(count: number): number;
  trap_after(count: number): number;
  depth(levels: number): number;
}

let modules = 0;

/** A module of its own for every test. */
export function pausingModule() {
  const name = `pausing ${++modules}`;
  return { name, module: native<PausingExports>(pausing, { name, keepBytes: 1 << 20 }) };
}
