/**
 * Memory for originals. It is taken before their bytes are read, in steps as they arrive, and a request waits for it while
 * it holds nothing, or no more than the steps that it has filled.
 *
 * Nobody can wait for ever for somebody who waits in turn: a step is given only where all who are inside could still come
 * to their end, one after the other (the banker's algorithm). Tiny originals and small ones have shares of their own, so
 * that large ones that come slowly keep none of them out. Accounts take turns at the door, and none of them may hold more
 * than a part of a share: half while others ask, three quarters while none does. What visitors of an account ask for is
 * counted apart from what its keys do, and has half of that.
 */
import { LOOK_MS } from "./admission.ts";
import type { BudgetSettings, InputShare } from "./budget-options.ts";
import { Caller, OWN_ACCOUNT } from "./caller.ts";
import type { Asked, Reservation } from "./held-bytes.ts";
import { type Lease, Leases } from "./leases.ts";
import { countedWait } from "./wait-counts.ts";
import { type Standing, type Waiting, WaitQueue } from "./wait-queue.ts";

/** What originals are beside. */
interface Surroundings extends Pick<BudgetSettings, "maxPasses" | "maxWaitMs" | "now" | "pause"> {
  /** Called at the beginning of events in which a holder or a waiter is heard of. */
  readonly onEvent: () => void;
  /** Whether large originals of so many bytes, all together, leave the work that has begun its room. */
  readonly admits: (largeBytes: number) => boolean;
  /** Whether they also leave the work its room that will begin next. */
  readonly admitsAnother: (largeBytes: number) => boolean;
  /** Whether all originals together may hold so many bytes beside the work that has begun. */
  readonly holds: (bytes: number) => boolean;
  /** Whether originals that would hold so many bytes, all together, have to wait for work that has waited for too long. */
  readonly isClosed: (bytes: number) => boolean;
  /** Whether work waits for originals alone, so that no further large one is let in. */
  readonly isBlocked: () => boolean;
  /** More is held than before. */
  readonly onHeld: () => void;
  /** Some memory is free again. */
  readonly onFreed: () => void;
}

type Pool = "tiny" | "small" | "large";

/** What an original may come to hold. */
interface Claim {
  readonly most: number;
  /** It has more than it was said to have. */
  readonly isRaised: boolean;
}

/** One original: what it holds, where, and what it may come to hold. */
interface Input {
  lease: Lease;
  pool: Pool;
  claim: Claim;
  readonly ceiling: number;
}

/** Bytes of an original: its first step, what it is said to have, what it may have. */
interface Size {
  readonly first: number;
  readonly most: number;
  readonly ceiling: number;
}

export class InputMemory {
  private readonly pools: Readonly<Record<Pool, Leases>>;
  /** Results, and whatever else is counted beside originals without being asked. */
  private readonly kept: Leases;
  /** What holders of leases may come to hold. */
  private readonly claims = new WeakMap<Lease, Claim>();
  private readonly door: WaitQueue;
  private readonly share: InputShare;
  private readonly surroundings: Surroundings;

  constructor(share: InputShare, surroundings: Surroundings) {
    const leases = () => new Leases(surroundings);
    this.pools = { tiny: leases(), small: leases(), large: leases() };
    this.kept = leases();
    this.door = new WaitQueue({ ...surroundings, everybody: true });
    this.share = share;
    this.surroundings = surroundings;
  }

  /** Bytes that all originals hold, and what is counted with them. */
  get sum(): number {
    return this.pools.tiny.sum + this.pools.small.sum + this.largeSum;
  }

  /** Bytes that large ones hold, and those that found no room among the small. */
  get largeSum(): number {
    return this.pools.large.sum + this.kept.sum;
  }

  /** The most that one of them holds. */
  get largest(): number {
    return Math.max(...[...Object.values(this.pools), this.kept].map((leases) => leases.largest));
  }

  /** How many have been let in and are held. */
  get count(): number {
    return Object.values(this.pools).reduce((sum, leases) => sum + leases.count, 0);
  }

  /** How many wait at the door, or for their next step. */
  get waiting(): number {
    return this.door.length;
  }

  /** Milliseconds that the longest of them has waited. */
  get longestMs(): number {
    return this.door.longestMs;
  }

  /** Bytes that work leaves free for whoever waits longest; 0 where nobody waits. */
  get wanted(): number {
    return this.door.head?.needs ?? 0;
  }

  /**
   * Waits for room for an original of `bytes`, or for its first step.
   * @throws ApiError 503 when there is none within the time that the caller may wait; the reason of the caller's signal
   */
  async take(bytes: number, { most = bytes, ceiling = most, caller = new Caller() }: Asked = {}): Promise<Reservation> {
    const size = { first: Math.min(bytes, this.share.stepBytes), most, ceiling };
    const enter = (standing: Standing) => this.tryEnter(size, caller, standing);
    const input = enter(this.standingOf()) ?? (await this.waited(enter, caller, { needs: size.first }));
    return this.reservationOf(input, caller);
  }

  /** Room for bytes that are there at once or not at all: undefined where there is none. */
  tryTake(bytes: number): Reservation | undefined {
    const caller = new Caller();
    const input = this.tryEnter({ first: bytes, most: bytes, ceiling: bytes }, caller, this.standingOf());
    return input && this.reservationOf(input, caller);
  }

  /** Counts bytes that are there already, a part of what work was admitted for: they are never refused. */
  keep(bytes: number): Reservation {
    const lease = this.kept.join(bytes);
    this.surroundings.onHeld();
    // Several results come and go by one reservation: what holds nothing for a while may hold something again.
    const shrink = (to: number) => {
      lease.hold(Math.min(to, lease.amount));
      this.freed();
    };
    const release = () => {
      lease.leave();
      shrink(0);
    };
    const grow = (to: number) => {
      lease.hold(Math.max(to, lease.amount));
      this.surroundings.onHeld();
      return undefined;
    };
    return { grow, shrink, release };
  }

  /** Those at the door come to see: some memory is free, or work has begun or ended. */
  call(): void {
    this.door.call();
  }

  /** Counts only those that are heard of again. */
  renew(): void {
    for (const leases of [...Object.values(this.pools), this.kept]) leases.renew();
    this.door.renew();
  }

  private reservationOf(input: Input, caller: Caller): Reservation {
    const grow = (to: number) => (to > input.lease.amount ? this.grown(input, to, caller) : undefined);
    const { now } = this.surroundings;
    const since = now() - caller.waitedMs;
    const shrink = (to: number) => {
      const { amount } = input.lease;
      if (to >= amount) return;
      if (to === 0) {
        caller.heldMs += (Math.max(0, now() - caller.waitedMs - since) * amount) / this.share.bytes;
        input.lease.leave();
      }
      input.lease.hold(to);
      // What has been read will not grow.
      this.claim(input, { ...input.claim, most: to });
      this.freed();
    };
    return { grow, shrink, release: () => shrink(0) };
  }

  /** Takes the steps up to `to` bytes, whole ones while the original may need them. */
  private grown(input: Input, to: number, caller: Caller): Promise<void> | undefined {
    const { stepBytes } = this.share;
    const { most } = input.claim;
    const wanted = Math.max(to, Math.min(most, Math.ceil(to / stepBytes) * stepBytes));
    // What says nothing of its length may be the largest, but mostly is not: twice as much is believed each time.
    const claim =
      wanted > most ? { most: Math.max(wanted, Math.min(input.ceiling, most * 2)), isRaised: true } : input.claim;
    const grow = () => this.tryGrow(input, wanted, claim) || undefined;
    if (grow()) return undefined;
    // Before all who have not begun: what is inside comes to its end sooner, and leaves room for them.
    const waiting = { needs: wanted - input.lease.amount, goesOn: true };
    return this.waited(grow, caller, waiting).then(() => undefined);
  }

  private claim(input: Input, claim: Claim): void {
    input.claim = claim;
    this.claims.set(input.lease, claim);
  }

  /** Waits at the door until `take` gives what somebody came for, or the caller's time is over. */
  private waited<Own>(
    take: (standing: Standing) => Own | undefined,
    caller: Caller,
    what: Pick<Waiting, "needs" | "goesOn">,
  ): Promise<Own> {
    const { now, maxWaitMs } = this.surroundings;
    const { account, signal } = caller;
    const leftMs = caller.patience(maxWaitMs, now);
    const orElse = ({ first }: Standing) => Math.min(leftMs(), first ? LOOK_MS : Infinity);
    const wait = () => this.door.take(take, orElse, { account, signal, ...what });
    return caller.waits(() => countedWait(wait, now, "originals"), now);
  }

  /** How a newcomer stands: behind all who wait. */
  private standingOf(): Standing {
    const { head } = this.door;
    return { first: !head, last: true, head: head ?? { passes: 0, needs: 0 } };
  }

  private tryEnter({ first, most, ceiling }: Size, caller: Caller, standing: Standing): Input | undefined {
    const { holds, isClosed, isBlocked, onHeld } = this.surroundings;
    if (first > 0 && (isClosed(this.sum + first) || !holds(this.sum + first))) return undefined;
    const pool = this.poolFor(first, most, caller, standing);
    if (!pool || (pool === "large" && isBlocked())) return undefined;
    const lease = this.pools[pool].join(first, caller.account);
    const claim = { most, isRaised: false };
    this.claims.set(lease, claim);
    onHeld();
    return { lease, pool, claim, ceiling };
  }

  /** The share in which there is room for an original's first step: the smallest in which it fits. */
  private poolFor(first: number, most: number, caller: Caller, { first: isFirst, head }: Standing): Pool | undefined {
    const { tiny, tinyBytes, small, smallBytes } = this.share;
    if (most <= tiny && this.hasRoom("tiny", first, tinyBytes, caller)) return "tiny";
    if (most <= small && this.hasRoom("small", first, smallBytes - tinyBytes, caller)) return "small";
    const mayPass = isFirst || head.passes < this.surroundings.maxPasses;
    if (!mayPass || !this.hasRoom("large", first, this.share.bytes, caller)) return undefined;
    const { admits, admitsAnother } = this.surroundings;
    const mayEnter = admits(this.largeSum + first) && (this.largeSum === 0 || admitsAnother(this.largeSum + first));
    return mayEnter && this.isSafe(first, { most, isRaised: false }) ? "large" : undefined;
  }

  /** Whether a share has so many bytes for a caller. */
  private hasRoom(pool: Pool, bytes: number, all: number, { account, isGuest }: Caller): boolean {
    const leases = this.pools[pool];
    if (leases.sum + bytes > all) return false;
    const mine = leases.sumOf(account);
    if (mine === 0 || account === OWN_ACCOUNT) return true;
    const others = this.door.hasOthersThan(account) || leases.sum > mine;
    const part = (others ? 0.5 : 0.75) * (isGuest ? 0.5 : 1);
    return mine + bytes <= all * part;
  }

  private tryGrow(input: Input, to: number, claim: Claim): boolean {
    const { admits, holds, onHeld } = this.surroundings;
    const { lease, pool } = input;
    const more = to - lease.amount;
    // A small original that turns out to be none goes over to the large ones, with all that it holds.
    const moreLarge = pool === "large" ? more : to;
    if (!holds(this.sum + more) || !this.isSafe(to, claim, lease) || !admits(this.largeSum + moreLarge)) return false;
    if (pool === "large") lease.hold(to);
    else {
      input.lease = this.pools.large.join(to, lease.owner);
      input.pool = "large";
      lease.leave();
    }
    this.claim(input, claim);
    onHeld();
    return true;
  }

  /**
   * Whether all large originals could still come to their end if one of them held `bytes`: one after the other, each with
   * what those before it have given back, and the last of them alone.
   * @param own its lease, where it has one
   */
  private isSafe(bytes: number, claim: Claim, own?: Lease): boolean {
    const others = this.pools.large.living().filter((lease) => lease !== own);
    const stateOf = (held: number, { most, isRaised }: Claim) => ({ held, left: Math.max(0, most - held), isRaised });
    const all = others.flatMap((lease) => {
      const known = this.claims.get(lease);
      return known ? [stateOf(lease.amount, known)] : [];
    });
    all.push(stateOf(bytes, claim));
    const { bytes: one, severalBytes = one } = this.share;
    // Who sends more than it was believed to may have to become the largest beside others that do the same.
    const several = all.length === 1 || all.some(({ isRaised }) => isRaised) ? one : severalBytes;
    let free = several - all.reduce((sum, { held }) => sum + held, 0);
    if (free < 0) return false;
    for (const [index, { held, left }] of all.toSorted((a, b) => a.left - b.left).entries()) {
      const isLast = index === all.length - 1;
      if (left > free + (isLast ? one - several : 0)) return false;
      free += held;
    }
    return true;
  }

  private freed(): void {
    this.surroundings.onFreed();
    this.door.call();
  }
}
