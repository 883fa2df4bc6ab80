/**
 * The renderer, built from resvg (`wasm/resvg`). A document is read once, and drawn in parts.
 *
 * The renderer counts its work: it pauses in the midst of a call, and ends where it takes too long. What is drawn has
 * an instance alone.
 */
import type { Fuel } from "../../../../wasm/fuel/fuel.ts";
import { native, NativeError, type NativeExports, type NativeInstance } from "../../../../wasm/load.ts";
import module from "../../../../wasm/resvg/resvg.wasm";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Size } from "../../pixels/geometry.ts";
import { type Family, familiesOf, unpacked } from "./fonts.ts";

/** Linear memory that the idle instance may keep. */
const KEEP_BYTES = 16 << 20;

interface ResvgExports extends NativeExports {
  fonts_new(): number;
  fonts_add(fonts: number, at: number, bytes: number): void;
  drawing_new(fonts: number, at: number, bytes: number): number;
  drawing_draw(
    drawing: number,
    scaleX: number,
    scaleY: number,
    pictureWidth: number,
    pictureHeight: number,
    left: number,
    top: number,
    width: number,
    height: number,
  ): number;
  drawing_free(drawing: number): void;
}

type Instance = NativeInstance<ResvgExports>;

const resvg = native<ResvgExports>(module, { name: "resvg", keepBytes: KEEP_BYTES });

/** Of each instance: the fonts that it has, by their families. */
const fontsOf = new WeakMap<Instance, Map<string, number>>();

/** What drawing makes way by, and what it may take of the processor. */
export interface Means {
  readonly timeSlice: TimeSlice;
  readonly fuel: Fuel;
}

/** How a document becomes a picture: enlarged, and of the whole a part from a place on. */
export interface View {
  readonly scaleX: number;
  readonly scaleY: number;
  /** The whole in pixels. */
  readonly picture: Size;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The whole of a document, one pixel to a unit. */
export function wholeView(picture: Size): View {
  return { scaleX: 1, scaleY: 1, picture, left: 0, top: 0, width: picture.width };
}

const encoder = new TextEncoder();

/** A document that was read, of which parts are drawn. Close it, whatever happens. */
export class ParsedSvg {
  private readonly text: string;
  private readonly means: Means;
  private readonly view: View;
  private readonly instance: Instance = resvg.acquireAlone();
  private drawing = 0;
  private closed = false;

  constructor(text: string, means: Means, view: View) {
    this.text = text;
    this.means = means;
    this.view = view;
  }

  /**
   * Draws rows of the view on nothing: RGBA8, straight alpha.
   * @throws NativeError when the document is refused, makes the renderer trap, or takes too long
   */
  async draw(start: number, end: number): Promise<Uint8Array> {
    if (this.closed) throw new NativeError("used after it was closed");
    const { instance, means, view } = this;
    const { scaleX, scaleY, picture, left, top, width } = view;
    try {
      if (this.drawing === 0) this.drawing = await this.parsed();
      const height = end - start;
      const { drawing } = this;
      const draw = [drawing, scaleX, scaleY, picture.width, picture.height, left, top + start, width, height] as const;
      const at = await instance.runPausing(means, "drawing_draw", ...draw);
      if (at === 0) throw new NativeError("the picture has no such part");
      return instance.bytes(at, width * height * 4).slice();
    } catch (error) {
      // What the renderer left behind is not known.
      instance.broken = true;
      // A document that nests too deeply ends the engine's stack, which is no trap to the engine.
      throw error instanceof RangeError ? new NativeError("the native code ran out of stack", { cause: error }) : error;
    }
  }

  /** May be called twice and at any time; in the midst of a pause the instance is given up. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { instance, drawing } = this;
    try {
      if (drawing === 0 || instance.broken || instance.isPaused()) return;
      instance.run((exports) => exports.drawing_free(drawing));
    } finally {
      resvg.release(instance);
    }
  }

  private async parsed(): Promise<number> {
    const { instance, text, means } = this;
    const fonts = loadedFonts(instance, familiesOf(text));
    const [at, bytes] = passed(instance, encoder.encode(text));
    const drawing = await instance.runPausing(means, "drawing_new", fonts, at, bytes);
    instance.run((exports) => exports.free(at));
    if (drawing === 0) throw new NativeError("refused");
    return drawing;
  }
}

/** The fonts of these families in an instance, which are read once. */
function loadedFonts(instance: Instance, families: readonly Family[]): number {
  const known = fontsOf.get(instance) ?? new Map<string, number>();
  fontsOf.set(instance, known);
  const key = families.map(({ name }) => name).join();
  const found = known.get(key);
  if (found !== undefined) return found;
  const fonts = instance.run((exports) => exports.fonts_new());
  for (const file of families.flatMap(({ files }) => Object.values(files))) {
    const [at, bytes] = passed(instance, unpacked(file));
    instance.run((exports) => {
      exports.fonts_add(fonts, at, bytes);
      exports.free(at);
    });
  }
  known.set(key, fonts);
  return fonts;
}

/** Copies bytes into the memory of an instance; whoever passes them frees them. */
function passed(instance: Instance, bytes: Uint8Array): [at: number, bytes: number] {
  const at = instance.allocate(bytes.length);
  instance.bytes(at, bytes.length).set(bytes);
  return [at, bytes.length];
}
