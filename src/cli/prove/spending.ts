/** What `npm run prove` may use: what a request takes at most is counted before it is sent. */
import { type Piece, PRICES } from "../../limits/prices.ts";

/** Dollars that a whole run may cost, beyond what the plan includes. */
export const MOST_DOLLARS = 0.5;
/** Milliseconds after which the platform ends an invocation of this deployment, and so the most that one costs. */
export const MOST_CPU_MS = 10_000;

export type Used = Readonly<Partial<Record<Piece, number>>>;

export class Spending {
  private spent = 0;

  /** Dollars so far, at most: as if each invocation had taken all the time it may, and the plan included nothing. */
  get dollars(): number {
    return this.spent;
  }

  /**
   * Counts a request to the Worker.
   * @param beside what it may use beside itself and its processor time
   * @throws Error when the run would cost more than MOST_DOLLARS
   */
  add(beside: Used = {}): void {
    const used: Used = { requests: 1, cpuMs: MOST_CPU_MS, events: 2, ...beside };
    const dollars = Object.entries(used).reduce((sum, [piece, many]) => sum + (many / 1e6) * PRICES[piece as Piece], 0);
    if (this.spent + dollars > MOST_DOLLARS) throw new Error(`It would cost more than $${MOST_DOLLARS.toFixed(2)}`);
    this.spent += dollars;
  }
}
