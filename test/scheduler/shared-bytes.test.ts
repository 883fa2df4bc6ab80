/** Bytes that live as long as somebody holds them. */
import { describe, expect, it } from "vitest";

import { SharedBytes } from "../../src/scheduler/shared-bytes.ts";
import { roomy } from "../support/memory.ts";

describe("shared bytes", () => {
  it("give their memory back with the last holder, and not before", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const shared = SharedBytes.of(bytes);
    shared.retain();
    shared.release();
    expect([...bytes]).toEqual([1, 2, 3]);
    shared.release();
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it("stay alive as long as a part of them is held", () => {
    const bytes = new Uint8Array([1, 2, 3, 4]);
    const shared = SharedBytes.of(bytes);
    const part = shared.derived(bytes.subarray(1, 3));
    shared.release();
    expect([...part.bytes]).toEqual([2, 3]);
    part.release();
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it("do not keep what stands on its own", () => {
    const bytes = new Uint8Array([1, 2, 3, 4]);
    const shared = SharedBytes.of(bytes);
    const copy = shared.derived(bytes.slice());
    shared.release();
    expect(bytes.buffer.byteLength).toBe(0);
    expect([...copy.bytes]).toEqual([1, 2, 3, 4]);
  });

  it("give the memory that was set aside for them back with the last holder", async () => {
    const memory = roomy();
    const shared = SharedBytes.of(new Uint8Array(4), await memory.take(4));
    const part = shared.derived(shared.bytes.subarray(1));
    shared.release();
    expect(memory.held()).toBe(4);
    part.release();
    expect(memory.held()).toBe(0);
  });

  it("cannot be read, held or released by somebody who has let go", () => {
    const shared = SharedBytes.of(new Uint8Array(1));
    shared.release();
    expect(() => shared.bytes).toThrow("released");
    expect(() => shared.retain()).toThrow("released");
    expect(() => shared.release()).toThrow("more often");
  });
});
