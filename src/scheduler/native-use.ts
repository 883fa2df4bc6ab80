/** Native memory as work uses it: which of the modules' instances belong to work that runs, and which to nobody. */
import { nativeBytesSince, nativeMoment, trimNative } from "../../wasm/load.ts";

export class NativeUse<Work> {
  /** When the work that runs began, as native modules count. */
  private readonly begun = new Map<Work, number>();

  begin(work: Work): void {
    this.begun.set(work, nativeMoment());
  }

  end(work: Work): void {
    this.begun.delete(work);
  }

  /** Nothing runs any more of what began. */
  forget(): void {
    this.begun.clear();
  }

  /**
   * What the work has that runs, and has left for a moment. It may be more than it declared, where instances grew for
   * work before it.
   */
  get bytes(): number {
    return nativeBytesSince(this.first);
  }

  /** Leaves idle instances that are nobody's so many bytes, and so many with those that nearly all work comes for. */
  trim(bytes: number, withCommon: number): void {
    trimNative(Math.max(0, bytes), this.first, Math.max(0, withCommon));
  }

  /** When the longest of the work began. */
  private get first(): number {
    return Math.min(nativeMoment(), ...this.begun.values());
  }
}
