/** Something opened in a native module, and the duty to close it once. */
import { NativeError, type NativeExports, type NativeInstance, type NativeModule } from "./load.ts";

export class Handle<Exports extends NativeExports> {
  readonly pointer: number;
  private readonly module: NativeModule<Exports>;
  private readonly instance: NativeInstance<Exports>;
  private readonly free: (exports: Exports, pointer: number) => void;
  private closed = false;

  /** @throws NativeError when `open` returns 0, which means that memory ran out */
  constructor(
    module: NativeModule<Exports>,
    open: (exports: Exports, instance: NativeInstance<Exports>) => number,
    free: (exports: Exports, pointer: number) => void,
  ) {
    this.module = module;
    this.free = free;
    this.instance = module.acquire();
    try {
      this.pointer = this.instance.run((exports) => open(exports, this.instance));
      if (this.pointer === 0) throw new NativeError("out of memory");
    } catch (error) {
      module.release(this.instance);
      throw error;
    }
  }

  call<T>(work: (exports: Exports, pointer: number) => T): T {
    if (this.closed) throw new Error("used after it was closed");
    return this.instance.run((exports) => work(exports, this.pointer));
  }

  /** A view of linear memory; any later opening in this module may invalidate it. */
  bytes(address: number, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  /** May be called twice. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (!this.instance.broken) this.instance.run((exports) => this.free(exports, this.pointer));
    } finally {
      this.module.release(this.instance);
    }
  }
}
