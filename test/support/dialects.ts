/** Addresses of both dialects, read as deliveries read them. */
import type { Asked, Dialect } from "../../src/delivery/asked.ts";
import { canonicalOf } from "../../src/delivery/canonical.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";

/** Options, and members of the request that they mean. */
export type DialectRow = readonly [options: string, members: object];

export const SOURCE = "https://www.example.com/a.jpg";
const presets = { card: { resize: { width: 320, height: 240, mode: "fit" } }, gray: { adjust: { grayscale: true } } };

export function asked(dialect: Dialect, path: string): Asked {
  const spelled = dialect.split(path);
  if (!spelled) throw new Error("no address");
  return dialect.read(spelled);
}

export const ofEdge = (options: string) => asked(edgeNetwork, `/${options}/${SOURCE}`);
export const ofImgproxy = (options: string) => asked(imgproxy, `/unsafe/${options}/plain/${SOURCE}`);
export const canonical = (one: Asked, accept?: string) => canonicalOf({ presets, provenance: "auto" }, one, accept);
export const message = (work: () => unknown): unknown => {
  try {
    work();
    return "nothing was refused";
  } catch (error) {
    return [(error as { status: number }).status, (error as Error).message];
  }
};
