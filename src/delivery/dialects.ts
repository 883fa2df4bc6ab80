/** Every dialect of addresses, by the first segment of its paths. */
import type { Dialect } from "./asked.ts";
import type { DialectName } from "./dialect-names.ts";
import { edgeNetwork } from "./dialects/edge-network.ts";
import { imgproxy } from "./dialects/imgproxy.ts";
import { next } from "./dialects/next.ts";

export const DIALECTS = { i: edgeNetwork, imgproxy, next } as const satisfies Record<DialectName, Dialect>;
