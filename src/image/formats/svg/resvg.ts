/**
 * resvg, from its package on npm, without the package's own loader: that one makes a single instance for ever, and a
 * document that makes the renderer trap would break it for all that follow.
 *
 * A document is parsed once, whatever it is drawn in: `cropByBBox` sets the part of the parsed tree that `render` shows,
 * so that strips of a picture come from one tree. What `render` does anew for each strip is to make the tree ready for
 * drawing, which decodes the pictures in it; the interface has no way to keep that.
 */
import inter from "@fontsource/inter/files/inter-latin-400-normal.woff2";
import interBold from "@fontsource/inter/files/inter-latin-700-normal.woff2";
import module from "@resvg/resvg-wasm/index_bg.wasm";

import { native, NativeError, type NativeExports, type NativeInstance } from "../../../../wasm/load.ts";

interface ResvgExports extends NativeExports {
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

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 24 << 20;

const FAMILY = "Inter";
const OPTIONS = JSON.stringify({
  font: {
    loadSystemFonts: false,
    defaultFontFamily: FAMILY,
    serifFamily: FAMILY,
    sansSerifFamily: FAMILY,
    cursiveFamily: FAMILY,
    fantasyFamily: FAMILY,
    monospaceFamily: FAMILY,
  },
  fitTo: { mode: "original" },
  logLevel: "off",
});

/** JavaScript values that the module refers to by number; those up to 131 are constants of wasm-bindgen. */
class Objects {
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

/** Those of each instance, which go with it. */
const tables = new WeakMap<object, Objects>();

function objectsOf(instance: NativeInstance<ResvgExports>): Objects {
  const objects = tables.get(instance) ?? new Objects();
  tables.set(instance, objects);
  return objects;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const resvg = native<ResvgExports>(module, {
  name: "resvg",
  keepBytes: KEEP_BYTES,
  foreign: (instance) => ({ wbg: glue(instance as unknown as NativeInstance<ResvgExports>) }),
});

/** The functions that wasm-bindgen 0.2.92 makes this module import, by the beginnings of their names. */
function glue(instance: NativeInstance<ResvgExports>): WebAssembly.ModuleImports {
  const objects = objectsOf(instance);
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
      const [at, length] = typeof value === "string" ? passText(instance, value) : [0, 0];
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
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => [name, Object.entries(functions).find(([start]) => name.startsWith(start))?.[1] ?? missing]),
  );
}

function missing(): never {
  throw new NativeError("an import is missing");
}

function passText(instance: NativeInstance<ResvgExports>, text: string): [at: number, length: number] {
  const bytes = encoder.encode(text);
  const at = instance.exports.__wbindgen_malloc(bytes.length, 1) >>> 0;
  instance.bytes(at, bytes.length).set(bytes);
  return [at, bytes.length];
}

/** Runs a function that returns a number or an error through a place on the stack. */
function fallible(instance: NativeInstance<ResvgExports>, work: (result: number) => void): number {
  const { exports } = instance;
  const result = exports.__wbindgen_add_to_stack_pointer(-16);
  work(result);
  const [value = 0, error = 0, failed] = new Int32Array(exports.memory.buffer, result, 3);
  exports.__wbindgen_add_to_stack_pointer(16);
  if (!failed) return value >>> 0;
  const thrown = objectsOf(instance).take(error);
  throw new Refused(thrown instanceof Error ? thrown.message : "refused");
}

/** The document is refused. */
class Refused extends Error {}

/** Of a box with four numbers, and of the mark by which wasm-bindgen knows whether it is in use. */
const BOX_BYTES = 64;
const BOX_ALIGNMENT = 8;

/** A parsed document, of which parts are drawn. Close it, whatever happens. */
export class ParsedSvg {
  private readonly text: string;
  private instance: NativeInstance<ResvgExports> | undefined;
  private tree = 0;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Draws rows of the document on nothing, one pixel to a unit: RGBA8, straight alpha.
   * @throws NativeError when the document is refused or makes the renderer trap
   */
  draw(width: number, start: number, end: number): Uint8Array {
    // Another document may have broken the instance since the last strip.
    if (this.instance?.broken) this.close();
    this.instance ??= resvg.acquire();
    const { instance } = this;
    try {
      const pixels = instance.run(() => this.rows(instance, { width, start, end }));
      if (pixels.length !== width * (end - start) * 4) {
        throw new NativeError("the picture has another size than its document");
      }
      return straightened(pixels);
    } catch (error) {
      // A document that nests too deeply ends the engine's stack, which is no trap to the engine.
      throw error instanceof RangeError ? new NativeError("the native code ran out of stack", { cause: error }) : error;
    } finally {
      objectsOf(instance).clear();
    }
  }

  close(): void {
    const { instance, tree } = this;
    this.instance = undefined;
    this.tree = 0;
    if (!instance) return;
    try {
      if (tree !== 0 && !instance.broken) instance.run((exports) => exports.__wbg_resvg_free(tree));
    } finally {
      resvg.release(instance);
    }
  }

  private rows(
    instance: NativeInstance<ResvgExports>,
    part: { width: number; start: number; end: number },
  ): Uint8Array {
    const { exports } = instance;
    try {
      if (this.tree === 0) this.tree = parsed(instance, this.text);
      crop(exports, this.tree, part);
      const image = fallible(instance, (result) => exports.resvg_render(result, this.tree));
      const pixels = objectsOf(instance).take(exports.renderedimage_pixels(image)) as Uint8Array;
      exports.__wbg_renderedimage_free(image);
      return pixels;
    } catch (error) {
      // Said by the renderer itself, which is too large to trust it with what earlier documents left.
      instance.broken = true;
      throw error instanceof Refused ? new NativeError(error.message) : error;
    }
  }
}

function parsed(instance: NativeInstance<ResvgExports>, text: string): number {
  const objects = objectsOf(instance);
  const fonts = objects.add([new Uint8Array(inter), new Uint8Array(interBold)]);
  const [options, length] = passText(instance, OPTIONS);
  return fallible(instance, (result) => {
    instance.exports.resvg_new(result, objects.add(text), options, length, fonts);
  });
}

/** Says which rows of a document are drawn next. */
function crop(
  exports: ResvgExports,
  tree: number,
  { width, start, end }: { width: number; start: number; end: number },
): void {
  const box = exports.__wbindgen_malloc(BOX_BYTES, BOX_ALIGNMENT) >>> 0;
  new Uint8Array(exports.memory.buffer, box, BOX_BYTES).fill(0);
  exports.__wbg_set_bbox_x(box, 0);
  exports.__wbg_set_bbox_y(box, start);
  exports.__wbg_set_bbox_width(box, width);
  exports.__wbg_set_bbox_height(box, end - start);
  exports.resvg_cropByBBox(tree, box);
  exports.__wbindgen_free(box, BOX_BYTES, BOX_ALIGNMENT);
}

/** The renderer premultiplies. */
function straightened(pixels: Uint8Array): Uint8Array {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]!;
    if (alpha === 255 || alpha === 0) continue;
    const half = alpha >> 1;
    pixels[at] = (pixels[at]! * 255 + half) / alpha;
    pixels[at + 1] = (pixels[at + 1]! * 255 + half) / alpha;
    pixels[at + 2] = (pixels[at + 2]! * 255 + half) / alpha;
  }
  return pixels;
}
