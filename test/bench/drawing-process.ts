/** A process that reads the facts of a drawing, in as much memory as it is given, and says what came of it. */
import "../support/imports-on-node.ts";
import { readFileSync } from "node:fs";

const { ApiError } = await import("../../src/errors.ts");
const { identify } = await import("../../src/image/plan/detect.ts");

function read(bytes: Uint8Array): number {
  try {
    identify(bytes);
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const STANDARD_INPUT = 0;
console.log(read(new Uint8Array(readFileSync(STANDARD_INPUT))));
