/**
 * Memory that was given up and is not collected yet. Where it alone is in somebody's way the engine is made to collect it:
 * at once where nothing else goes on, and once a second beside work, which has the thread anyway. Where an engine cannot be
 * made to, whoever waits looks again and again.
 */
import { count } from "../metrics.ts";
import type { BudgetSettings } from "./budget-options.ts";

/** The least time between two collections beside work: they may take a twentieth of a second each. */
const BESIDE_WORK_MS = 1_000;
/** The same where nothing goes on: what the last one left was in use then, and may not be by now. */
const ALONE_MS = 100;

type GivenUpOptions = Pick<BudgetSettings, "collect" | "droppedBytes" | "now">;

export class GivenUp {
  private readonly options: GivenUpOptions;
  private collectedAt = -Infinity;

  constructor(options: GivenUpOptions) {
    this.options = options;
  }

  /** Whether there is room for what was given up beside `sum` bytes. */
  fits(sum: number, room: number): boolean {
    return sum + this.options.droppedBytes() <= room;
  }

  /** The same, once what was given up is collected where it alone is in the way. */
  fitsCollected(sum: number, room: number, isBesideWork: boolean): boolean {
    if (sum > room) return false;
    return this.fits(sum, room) || (this.collect(isBesideWork) && this.fits(sum, room));
  }

  /** @returns whether it was done: not again so soon */
  private collect(isBesideWork: boolean): boolean {
    const { collect, now } = this.options;
    if (now() - this.collectedAt < (isBesideWork ? BESIDE_WORK_MS : ALONE_MS)) return false;
    const since = performance.now();
    collect();
    count("collections_total");
    count("collection_seconds_total", {}, (performance.now() - since) / 1_000);
    this.collectedAt = now();
    return true;
  }
}
