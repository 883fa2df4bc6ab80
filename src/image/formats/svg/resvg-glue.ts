/** What joins JavaScript and the renderer, which wasm-bindgen generates otherwise: values by number, and imports. */
import { NativeError, type NativeExports, type NativeInstance } from "../../../../wasm/load.ts";

export interface ResvgExports extends NativeExports {
  __wbindgen_malloc(bytes: number, alignment: number): number;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_exn_store(object: number): void;
  __wbg_resvg_free(resvg: number): void;
  __wbg_renderedimage_free(image: number): void;
  resvg_new(result: number, svg: number, options: number, optionsBytes: number, fonts: number): void;
  resvg_cropByBBox(resvg: number, box: number): void;
  resvg_render(result: number, resvg: number): void;
  __wbg_set_bbox_x(box: number, value: number): void;
  __wbg_set_bbox_y(box: number, value: number): void;
  __wbg_set_bbox_width(box: number, value: number): void;
  __wbg_set_bbox_height(box: number, value: number): void;
  __wbindgen_free(pointer: number, bytes: number, alignment: number): void;
  renderedimage_width(image: number): number;
  renderedimage_height(image: number): number;
  renderedimage_pixels(image: number): number;
}

/** JavaScript values that the module refers to by number; those up to 131 are constants of wasm-bindgen. */
export class Objects {
  private readonly held = new Map<number, unknown>();
  private last = 131;

  add(value: unknown): number {
    this.held.set(++this.last, value);
    return this.last;
  }

  get(id: number): unknown {
    return this.held.get(id);
  }

  take(id: number): unknown {
    const value = this.held.get(id);
    this.held.delete(id);
    return value;
  }

  clear(): void {
    this.held.clear();
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The functions that wasm-bindgen 0.2.92 makes this module import, by the beginnings of their names. */
export function glue(
  module: WebAssembly.Module,
  instance: NativeInstance<ResvgExports>,
  objects: Objects,
): WebAssembly.ModuleImports {
  const text = (at = 0, length = 0) => decoder.decode(instance.bytes(at, length));
  const functions: Record<string, (...args: number[]) => number | void> = {
    __wbg_new_28: (at, length) => objects.add(new Error(text(at, length))),
    __wbindgen_memory: () => objects.add(instance.exports.memory),
    __wbg_buffer_: (id = 0) => objects.add((objects.get(id) as WebAssembly.Memory).buffer),
    __wbg_newwithbyteoffsetandlength_: (id = 0, at = 0, length = 0) =>
      objects.add(new Uint8Array(objects.get(id) as ArrayBuffer, at >>> 0, length >>> 0)),
    __wbindgen_object_drop_ref: (id = 0) => void objects.take(id),
    __wbg_new_63: (id = 0) => objects.add(new Uint8Array(objects.get(id) as ArrayBuffer)),
    __wbg_values_: (id = 0) => objects.add((objects.get(id) as unknown[]).values()),
    __wbg_next_: (id = 0) => objects.add((objects.get(id) as Iterator<unknown>).next()),
    __wbg_done_: (id = 0) => Number((objects.get(id) as IteratorResult<unknown>).done ?? false),
    __wbg_value_: (id = 0) => objects.add((objects.get(id) as IteratorResult<unknown>).value),
    __wbg_instanceof_Uint8Array_: (id = 0) => Number(objects.get(id) instanceof Uint8Array),
    __wbindgen_string_get(to = 0, id = 0) {
      const value = objects.get(id);
      const [at, length] = typeof value === "string" ? instance.nested(() => passText(instance, value)) : [0, 0];
      new Int32Array(instance.exports.memory.buffer, to, 2).set([at, length]);
    },
    __wbg_new_16: () => objects.add([]),
    __wbindgen_string_new: (at, length) => objects.add(text(at, length)),
    __wbg_push_: (id = 0, item = 0) => (objects.get(id) as unknown[]).push(objects.get(item)),
    __wbg_length_: (id = 0) => (objects.get(id) as Uint8Array).length,
    __wbg_set_: (id = 0, from = 0, at = 0) =>
      (objects.get(id) as Uint8Array).set(objects.get(from) as Uint8Array, at >>> 0),
    __wbindgen_throw(at, length) {
      throw new NativeError(text(at, length));
    },
  };
  const names = WebAssembly.Module.imports(module).flatMap(({ module: from, name }) => (from === "wbg" ? [name] : []));
  return Object.fromEntries(
    names.map((name) => [name, Object.entries(functions).find(([start]) => name.startsWith(start))?.[1] ?? missing]),
  );
}

function missing(): never {
  throw new NativeError("an import is missing");
}

/** Copies a text into the module's memory; whom it is passed to frees it. */
export function passText(instance: NativeInstance<ResvgExports>, text: string): [at: number, length: number] {
  const bytes = encoder.encode(text);
  const at = instance.exports.__wbindgen_malloc(bytes.length, 1) >>> 0;
  instance.bytes(at, bytes.length).set(bytes);
  return [at, bytes.length];
}
