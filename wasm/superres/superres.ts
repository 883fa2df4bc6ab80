/** Doubling by networks and learned filters. */
import { native } from "../load.ts";
import { PAGE_BYTES, type Price, priced } from "../price.ts";
import { type Effect, openStream, type StreamExports, WINDOW_ROWS } from "../stream.ts";
import module from "./superres.wasm";

interface SuperresExports extends StreamExports {
  superres_open(width: number, height: number, doubling: number, opaque: number, network: number): number;
}

/** Linear memory that the idle instance may keep: what doubling twice a row of 2,000 pixels needs. */
const KEEP_BYTES = 8 << 20;

const superres = native<SuperresExports>(module, { name: "superres", keepBytes: KEEP_BYTES });

/**
 * How a picture is doubled: its luma by the large or the small network and its colors by filters, or all by filters, or by
 * filters that were learned from what a doubling made.
 */
export type Doubling = "large" | "small" | "filters" | "again";

interface Network {
  /** As the native code knows it. */
  readonly word: number;
  /** What it takes besides filters, for a source pixel. */
  readonly nanoseconds: number;
  /** Rows of its hidden layers, and bytes of each for a pixel. */
  readonly rows: number;
  readonly rowBytes: number;
}

const NETWORKS: Readonly<Partial<Record<Doubling, Network>>> = {
  small: { word: 1, nanoseconds: 800, rows: 15, rowBytes: 48 },
  large: { word: 2, nanoseconds: 4_200, rows: 18, rowBytes: 96 },
};

interface Doubled {
  /** Pixels, of the source. */
  readonly width: number;
  /** Pixels, of the source. */
  readonly height: number;
  readonly doubling: Doubling;
  readonly opaque: boolean;
}

/**
 * Rows of a picture twice as wide and twice as high.
 * @throws NativeError when memory ran out
 */
export function openDoubling({ width, height, doubling, opaque }: Doubled): Effect {
  const effect = openStream(superres, width, 2 * width, (exports) =>
    exports.superres_open(width, height, doubling === "again" ? 1 : 0, opaque ? 1 : 0, NETWORKS[doubling]?.word ?? 0),
  );
  const rowMs = (width * nanoseconds(doubling, opaque)) / 2e6;
  const most = Math.max(2, Math.floor(READ_MS / rowMs));
  return { ...effect, read: (max) => effect.read(Math.min(max, most)) };
}

/** Rows are made for about so long at a time, and others have their turn. */
const READ_MS = 10;

/** Four pixels of the result by filters, by the pixel that they come from. */
const NANOSECONDS = { opaque: 40, translucent: 58 } as const;

/** The price of doubling a picture of this size. */
export function doublingPrice({ width, height, doubling, opaque }: Doubled): Price {
  const network = NETWORKS[doubling];
  const plane = width + 40;
  const ring = (network ? 14 : 9) * 6 * plane * 2;
  const moments = (5 + 1) * 3 * plane * 4;
  const bounds = 2 * 5 * plane * 2 + plane * 2;
  const hidden = network ? network.rows * network.rowBytes * plane + plane * 8 : 0;
  const bytes = 3 * width * 4 * WINDOW_ROWS + ring + moments + bounds + hidden + width * 8 + PAGE_BYTES;
  return priced(bytes, width * height, nanoseconds(doubling, opaque));
}

function nanoseconds(doubling: Doubling, opaque: boolean): number {
  const filters = opaque ? NANOSECONDS.opaque : NANOSECONDS.translucent;
  return filters + (NETWORKS[doubling]?.nanoseconds ?? 0);
}
