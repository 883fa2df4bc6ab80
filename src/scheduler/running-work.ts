/** Work that has begun: what it declared, what the native modules have that it uses, and whether more may begin beside it. */
import type { Admission, HeldBeside, Hindered, Newcomer, SharedBounds } from "./admission.ts";
import type { BudgetSettings } from "./budget-options.ts";
import { type Lease, Leases, type LeasesOptions } from "./leases.ts";
import { NativeUse } from "./native-use.ts";

/** Work that has begun, and in which of the tiers that would do. */
export interface Begun {
  readonly lease: Lease;
  readonly tier: number;
}

/** Work that would begin: the bytes of each of its tiers, and whose it is. */
export interface Asking {
  readonly sizes: readonly number[];
  /** Milliseconds that it declares; 0 where it declares none. */
  readonly ms: number;
  readonly account: string;
  readonly hindered: Hindered;
  /** When it came. */
  readonly since: number;
}

/**
 * Work waits for work that runs, while that has left at most so many times what it takes itself: on the one thread neither
 * would be done sooner beside the other, and the memory of both would hinder both.
 */
const SOON_FACTOR = 4;
/** Work that takes no longer leaves no room for others beside it: they come soon. */
const SHORT_MS = 1_000;
/** Work that has said nothing for so long is not waited for: it says what it has left at least at every pause. */
const SILENT_MS = 3_000;

/** What work is beside. */
export interface WorkSurroundings extends Pick<BudgetSettings, "aloneBytes" | "now"> {
  readonly admission: Admission;
  readonly bounds: SharedBounds;
  readonly originals: () => HeldBeside["originals"];
  /** Originals alone have kept work waiting for long. */
  readonly isLate: () => boolean;
  /** How many wait for their turn, and whether somebody of another account does. */
  readonly waiting: () => number;
  readonly othersWait: (account: string) => boolean;
}

export class RunningWork {
  private readonly leases: Leases;
  private readonly native = new NativeUse<Lease>();
  private readonly surroundings: WorkSurroundings;
  /** What work has said last that it has left, in declared milliseconds, and when. */
  private readonly left = new WeakMap<Lease, { readonly ms: number; readonly at: number }>();
  /** Work that has passed the first in the queue because both have room, and runs. */
  private beside: readonly Lease[] = [];

  constructor(surroundings: WorkSurroundings, options: LeasesOptions) {
    this.surroundings = surroundings;
    this.leases = new Leases(options);
  }

  /** Bytes that it declared, and what it has grown by beyond them. */
  get declaredBytes(): number {
    return this.leases.sum;
  }

  /** What it holds: what it declared, or what the native modules have that it uses. */
  get bytes(): number {
    return Math.max(this.leases.sum, this.native.bytes);
  }

  get count(): number {
    return this.leases.count;
  }

  /** Bytes of what has passed the first in the queue. */
  get besideBytes(): number {
    return this.beside.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Bytes of all other work: what it declared, or what the native modules have. */
  get mainBytes(): number {
    return this.leases.sum === this.besideBytes ? 0 : this.bytes - this.besideBytes;
  }

  /** Declared milliseconds until all of it is over; endless where some has been silent, for it may have been ended. */
  private get leftMs(): number {
    const since = this.surroundings.now() - SILENT_MS;
    return this.leases.living().reduce((sum, lease) => {
      const { ms, at } = this.left.get(lease) ?? { ms: 0, at: since };
      return sum + (at > since ? ms : Infinity);
    }, 0);
  }

  /** Says what work has left: of its estimate, or as much again as it has taken beyond that. */
  tellLeft(lease: Lease, ms: number): void {
    this.left.set(lease, { ms: Math.abs(ms), at: this.surroundings.now() });
  }

  /** Begins work if there is room. @param passing it goes before the first in the queue */
  begin(asking: Asking, passing: boolean): Begun | undefined {
    const tier = this.tierAmong(asking, passing);
    if (tier === undefined) return undefined;
    const lease = this.leases.join(asking.sizes[tier] ?? 0, asking.account);
    this.tellLeft(lease, asking.ms);
    this.beside = passing ? [...this.beside, lease] : [];
    this.native.begin(lease);
    return { lease, tier };
  }

  end(lease: Lease): void {
    lease.leave();
    this.native.end(lease);
    this.beside = this.beside.filter((other) => other !== lease);
  }

  /** Whether work of so many bytes has room beside what is held. */
  hasRoom(bytes: number): boolean {
    return this.surroundings.admission.hasRoom({ bytes, waitedMs: 0 }, this.heldBeside());
  }

  /** What work asks for, with the time that it has waited. */
  newcomer({ sizes, since }: Asking): Newcomer {
    return { bytes: sizes.at(-1) ?? 0, waitedMs: this.surroundings.now() - since };
  }

  /**
   * Whether everything together is more than an isolate has, and this work is to be held back at its pause: what began
   * first goes on, and so comes to its end.
   */
  isTooMuch(lease: Lease): boolean {
    const { aloneBytes, originals } = this.surroundings;
    return this.bytes + originals().sum > aloneBytes && this.leases.living()[0] !== lease;
  }

  /**
   * Idle native memory gives way to what is in use, and to what work may come to hold besides: all that is declared. What
   * nearly all work comes for is a part of that, but for work that fills nearly all there is, which may be buffers. What
   * gave way is collected before it is too much, though nobody waits for it.
   */
  trim(): void {
    const { admission, aloneBytes, bounds } = this.surroundings;
    const { usualBytes } = admission;
    const inUse = this.native.bytes;
    const unused = bounds.filledBytes - inUse;
    const declared = this.leases.sum;
    const originals = this.surroundings.originals().sum;
    const isUsual = declared + originals <= usualBytes;
    const undeclared = (isUsual ? usualBytes : aloneBytes) - declared;
    const covered = isUsual ? Math.max(0, declared - inUse) : 0;
    this.native.trim(Math.min(unused, undeclared) - originals, Math.min(unused, undeclared + covered) - originals);
    admission.collectBeside(inUse + originals);
  }

  /** After work was ended in its midst: who lives is counted again. */
  renew(): void {
    this.leases.renew();
    this.native.forget();
    this.beside = [];
  }

  /**
   * The first of several sizes for which there is room beside everything held; undefined where there is none for any.
   */
  private tierAmong(asking: Asking, passing: boolean): number | undefined {
    const { sizes, ms } = asking;
    const { admission, waiting } = this.surroundings;
    if (this.isOverSoon(ms)) return undefined;
    const isShort = ms > 0 && ms <= SHORT_MS;
    const held = this.heldBeside();
    const company = isShort && held.workBytes === 0 ? "none" : waiting() > 1 ? "waits" : "may come";
    const least = sizes.length - 1;
    const spared = passing
      ? -1
      : sizes.findIndex(
          (size, index) => index < least && admission.spares(size, held, company) && !this.isBeyondShare(asking, size),
        );
    if (spared >= 0) return spared;
    if (this.isBeyondShare(asking, sizes[least] ?? 0)) return undefined;
    return admission.admits(this.newcomer(asking), held, asking.hindered) ? least : undefined;
  }

  /** Whether an account would hold more than half of what work may have, while others wait for it. */
  private isBeyondShare({ account }: Asking, bytes: number): boolean {
    const mine = this.leases.sumOf(account);
    return mine > 0 && mine + bytes > this.surroundings.bounds.sharedBytes / 2 && this.surroundings.othersWait(account);
  }

  /** Whether all that runs has so little left that work of so many milliseconds waits for it; never where none are declared. */
  private isOverSoon(ms: number): boolean {
    return ms > 0 && this.leases.count > 0 && this.leftMs <= ms * SOON_FACTOR;
  }

  private heldBeside(): HeldBeside {
    const workBytes = this.leases.sum > 0 ? this.bytes : 0;
    return { workBytes, originals: this.surroundings.originals(), isLate: this.surroundings.isLate() };
  }
}
