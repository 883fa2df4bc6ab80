/** The counter of one instance, and the fuel of the call that is under way in it. */
import { type Fuel, SLICE_MS, UNITS_PER_MS } from "./fuel.ts";

export class FuelMeter {
  private fuel: Fuel | undefined;
  /** What the module has in its counter or has used. */
  private granted = 0;
  private readonly counter: () => WebAssembly.Global | undefined;

  /** @param counter of the module; none where it does not count what it does, or while it is being made */
  constructor(counter: () => WebAssembly.Global | undefined) {
    this.counter = counter;
  }

  /** Says what the call that begins may take. Returns whether no other call has said so. */
  open(fuel: Fuel): boolean {
    if (this.fuel) return false;
    this.fuel = fuel;
    this.fill(fuel);
    return true;
  }

  /** The call is over. */
  close(): void {
    if (this.fuel) this.use(this.fuel);
    this.fuel = undefined;
  }

  /**
   * The module has used up its slice, and is given another.
   * @returns milliseconds that the slice took, or "empty"; undefined out of a call
   */
  refill(): number | "empty" | undefined {
    // Out of a call there is only what the engine runs as it makes the instance.
    if (!this.fuel) return undefined;
    const ms = this.use(this.fuel);
    this.fill(this.fuel);
    return this.fuel.leftMs <= 0 ? "empty" : ms;
  }

  /** Puts a slice into the module's counter. */
  private fill({ leftMs }: Fuel): void {
    const counter = this.counter();
    if (!counter) return;
    this.granted = Math.max(0, Math.floor(Math.min(SLICE_MS, leftMs) * UNITS_PER_MS));
    counter.value = this.granted;
  }

  /** Takes what the module has used from the fuel of the call. Returns it, in milliseconds. */
  private use(fuel: Fuel): number {
    const counter = this.counter();
    const ms = counter ? (this.granted - Number(counter.value)) / UNITS_PER_MS : 0;
    fuel.leftMs -= ms;
    return ms;
  }
}
