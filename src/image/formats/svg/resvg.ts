/**
 * resvg, from its package on npm, without the package's own loader: that one makes a single instance for ever, and a
 * document that makes the renderer trap would break it for all that follow.
 *
 * A document is parsed once, whatever it is drawn in: `cropByBBox` sets the part of the parsed tree that `render` shows,
 * so that strips of a picture come from one tree. What `render` does anew for each strip is to make the tree ready for
 * drawing, which decodes the pictures in it; the interface has no way to keep that.
 *
 * The renderer counts its work (`wasm/resvg`): it pauses in the midst of a call, and ends where it takes too long. What
 * is drawn has an instance alone.
 */
import type { Fuel } from "../../../../wasm/fuel/fuel.ts";
import { native, NativeError, type NativeInstance } from "../../../../wasm/load.ts";
import module from "../../../../wasm/resvg/resvg.wasm";
import type { Breath } from "../../breath.ts";
import { FAMILIES, fontsOf } from "./fonts.ts";
import { glue, Objects, passText, type ResvgExports } from "./resvg-glue.ts";

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 24 << 20;

const FAMILY = FAMILIES.sans.name;
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

/** Of each instance. */
const objectsOf = new WeakMap<object, Objects>();

const resvg = native<ResvgExports>(module, {
  name: "resvg",
  keepBytes: KEEP_BYTES,
  foreign: (instance) => {
    const objects = new Objects();
    objectsOf.set(instance, objects);
    return { wbg: glue(module, instance as unknown as NativeInstance<ResvgExports>, objects) };
  },
});

/** The document is refused. */
class Refused extends Error {}

/** Of a box with four numbers, and of the mark by which wasm-bindgen knows whether it is in use. */
const BOX_BYTES = 64;
const BOX_ALIGNMENT = 8;

/** What drawing makes way by, and what it may take of the processor. */
export interface Means {
  readonly breath: Breath;
  readonly fuel: Fuel;
}

/** Where a function of the renderer puts a number or an error. */
const RESULT_BYTES = 16;

/** A parsed document, of which parts are drawn. Close it, whatever happens. */
export class ParsedSvg {
  private readonly text: string;
  private readonly means: Means;
  private readonly instance: NativeInstance<ResvgExports> = resvg.acquireAlone();
  private readonly objects: Objects;
  private tree = 0;
  private closed = false;

  constructor(text: string, means: Means) {
    this.text = text;
    this.means = means;
    this.objects = objectsOf.get(this.instance) ?? new Objects();
  }

  /**
   * Draws rows of the document on nothing, one pixel to a unit: RGBA8, straight alpha.
   * @throws NativeError when the document is refused, makes the renderer trap, or takes too long
   */
  async draw(width: number, start: number, end: number): Promise<Uint8Array> {
    try {
      const pixels = await this.rows({ width, start, end });
      if (pixels.length !== width * (end - start) * 4) {
        throw new NativeError("the picture has another size than its document");
      }
      return straightened(pixels);
    } catch (error) {
      // A document that nests too deeply ends the engine's stack, which is no trap to the engine.
      throw error instanceof RangeError ? new NativeError("the native code ran out of stack", { cause: error }) : error;
    } finally {
      this.objects.clear();
    }
  }

  /** May be called twice and at any time; in the midst of a pause the instance is given up. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { instance, tree } = this;
    try {
      if (tree === 0 || instance.broken || instance.isPaused()) return;
      instance.run((exports) => exports.__wbg_resvg_free(tree));
    } finally {
      resvg.release(instance);
    }
  }

  private async rows(part: { width: number; start: number; end: number }): Promise<Uint8Array> {
    if (this.closed) throw new NativeError("used after it was closed");
    const { instance, objects } = this;
    try {
      if (this.tree === 0) this.tree = await this.parsed();
      instance.run((exports) => crop(exports, this.tree, part));
      const image = await this.fallible((result) => instance.runPausing(this.means, "resvg_render", result, this.tree));
      return instance.run((exports) => {
        const pixels = objects.take(exports.renderedimage_pixels(image)) as Uint8Array;
        exports.__wbg_renderedimage_free(image);
        return pixels;
      });
    } catch (error) {
      // Said by the renderer itself, which is too large to trust it with what earlier documents left.
      instance.broken = true;
      throw error instanceof Refused ? new NativeError(error.message) : error;
    }
  }

  private parsed(): Promise<number> {
    const { instance, objects } = this;
    const fonts = objects.add(fontsOf(this.text));
    const [options, length] = instance.run(() => passText(instance, OPTIONS));
    const text = objects.add(this.text);
    return this.fallible((result) =>
      instance.runPausing(this.means, "resvg_new", result, text, options, length, fonts),
    );
  }

  /** Calls a function that returns a number or an error through a place on the stack. */
  private async fallible(work: (result: number) => Promise<void>): Promise<number> {
    const { instance, objects } = this;
    const result = instance.run((exports) => exports.__wbindgen_add_to_stack_pointer(-RESULT_BYTES));
    await work(result);
    const [value = 0, error = 0, failed] = new Int32Array(instance.exports.memory.buffer, result, 3);
    instance.run((exports) => exports.__wbindgen_add_to_stack_pointer(RESULT_BYTES));
    if (!failed) return value >>> 0;
    const thrown = objects.take(error);
    throw new Refused(thrown instanceof Error ? thrown.message : "refused");
  }
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
