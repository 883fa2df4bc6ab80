/** Files without what their pictures do not need. */
import type { Stripped } from "../../src/image/containers/stripped.ts";

/** The file; fails where it could not be told apart. */
export function strippedFile(stripped: Stripped | null): Uint8Array {
  if (!stripped) throw new Error("the file cannot be told apart");
  return stripped.file();
}
