/** Doubling by networks. */
import { PAGE_BYTES, type Estimate, estimated } from "../estimate.ts";
import { native } from "../load.ts";
import { type Effect, openStream, WINDOW_ROWS } from "../stream.ts";
import type { SuperresExports } from "./exports.ts";
import module from "./superres.wasm";

/** Linear memory that the idle instance may keep: what doubling twice a row of 2,000 pixels needs. */
const KEEP_BYTES = 8 << 20;

const superres = native<SuperresExports>(module, { name: "superres", keepBytes: KEEP_BYTES });

/**
 * Which network makes luma: the clean one is as large as the large one, and for pictures that were never compressed. Alpha,
 * where there is any, is made by the small one.
 */
export type Network = "small" | "large" | "clean";

interface Layers {
  /** Its number in `weights.h`. */
  readonly kind: number;
  /** What luma takes, for a source pixel. */
  readonly nanoseconds: number;
  /** Rows of hidden layers, and bytes of each for a pixel. */
  readonly rows: number;
  readonly rowBytes: number;
}

const NETWORKS: Readonly<Record<Network, Layers>> = {
  small: { kind: 0, nanoseconds: 800, rows: 15, rowBytes: 48 },
  large: { kind: 1, nanoseconds: 4_200, rows: 18, rowBytes: 96 },
  clean: { kind: 2, nanoseconds: 4_200, rows: 18, rowBytes: 96 },
};

interface Doubled {
  /** Pixels, of the source. */
  readonly width: number;
  /** Pixels, of the source. */
  readonly height: number;
  readonly network: Network;
  /** Whether luma is the mean of what the network makes as it is and turned by 180 degrees. */
  readonly twoForms: boolean;
  readonly opaque: boolean;
}

interface Opened extends Doubled {
  /** Whether the picture is one that was doubled: then there is less to be added, and halos must not grow. */
  readonly again: boolean;
  /** How much of luma is the network's, from 0 to 1, which is usual: the rest is what Lanczos3 makes. */
  readonly strength?: number;
}

/** Levels that a result may leave the range of the pixels around by. */
const SLACK = 8;
const SLACK_AGAIN = 1;

/**
 * Rows of a picture twice as wide and twice as high.
 * @throws NativeError when memory ran out
 */
export function openDoubling({ width, height, network, twoForms, opaque, again, strength = 1 }: Opened): Effect {
  const slack = again ? SLACK_AGAIN : SLACK;
  const effect = openStream(superres, width, 2 * width, (exports) =>
    exports.superres_open(
      width,
      height,
      opaque ? 1 : 0,
      NETWORKS[network].kind,
      twoForms ? 2 : 1,
      slack,
      Math.round(256 * strength),
    ),
  );
  const rowMs = (width * nanoseconds({ network, twoForms, opaque })) / 2e6;
  const most = Math.max(2, Math.floor(READ_MS / rowMs));
  return { ...effect, read: (max) => effect.read(Math.min(max, most)) };
}

/** Rows are made for about so long at a time, and others have their turn. */
const READ_MS = 10;

/** What colors take, for a source pixel. */
const COLOR_NANOSECONDS = 50;
/**
 * What is added for alpha. Pictures that could have holes are mostly of one alpha over whole rows, for which the network has
 * nothing to do: this is less than what it takes elsewhere.
 */
const ALPHA_NANOSECONDS = 600;

/** The estimate of doubling a picture of this size. */
export function doublingEstimate({ width, height, network, twoForms, opaque }: Doubled): Estimate {
  const plane = width + 40;
  const planes = opaque ? 3 : 4;
  const ofLuma = Array.from({ length: twoForms ? 2 : 1 }, () => NETWORKS[network]);
  const networks = opaque ? ofLuma : [...ofLuma, NETWORKS.small];
  const ring = RING_ROWS * (planes + 1) * plane * 2;
  const bounds = 2 * (planes + 2) * plane * 2;
  const made = networks.reduce((bytes, { rows, rowBytes }) => bytes + (rows * rowBytes + 8) * plane, 0);
  const bytes = 3 * width * 4 * WINDOW_ROWS + ring + bounds + made + width * 8 + PAGE_BYTES;
  return estimated(bytes, width * height, nanoseconds({ network, twoForms, opaque }));
}

/** Rows of the picture that are held, as superres.c counts them. */
const RING_ROWS = 12;

function nanoseconds({ network, twoForms, opaque }: Pick<Doubled, "network" | "twoForms" | "opaque">): number {
  const luma = NETWORKS[network].nanoseconds * (twoForms ? 2 : 1);
  return luma + COLOR_NANOSECONDS + (opaque ? 0 : ALPHA_NANOSECONDS);
}
