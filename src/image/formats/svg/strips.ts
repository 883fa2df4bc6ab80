/** Pictures of a document, drawn a strip at a time from one parsed tree. */
import { NativeError, OutOfFuel } from "../../../../wasm/load.ts";
import type { Facts } from "../../format.ts";
import type { Box, Size } from "../../geometry.ts";
import type { Rows } from "../../rows.ts";
import { guardedAsync } from "../guard.ts";
import type { Drawing } from "./clean.ts";
import { damaged } from "./document.ts";
import { type Means, ParsedSvg } from "./resvg.ts";
import { writtenSvg } from "./tree.ts";

export interface Part {
  readonly area: Box;
  readonly size: Size;
  readonly stripRows: number;
  /** Levels of layers. */
  readonly nesting: number;
}

/** A drawing with what is known of it, and what its work may take. */
export interface Work extends Means {
  readonly drawing: Drawing;
  readonly facts: Facts;
}

/** An area of a drawing, as many rows at a time as a strip has, or why the renderer cannot draw it so. */
export async function inStrips(work: Work, part: Part): Promise<Rows | NativeError> {
  let reason = new NativeError("the renderer would cut layers off");
  for (const overflow of overflows(part)) {
    try {
      return await drawnInStrips(placed(work, part, overflow), work, part);
    } catch (error) {
      if (!(error instanceof NativeError) || error instanceof OutOfFuel) throw error;
      reason = error;
    }
  }
  return reason;
}

type Overflow = "hidden" | "visible";

/**
 * How the drawing itself may be drawn. When it is cut off at its edges it is a layer, and strips meet exactly. The
 * renderer traps where a layer lies more than two heights of a strip away, and cuts layers off, without a word, more
 * than two heights below the beginning of the layer that they are in: those in others need strips that are near it.
 */
function overflows({ area, size, stripRows, nesting }: Part): readonly Overflow[] {
  const lastRow = size.height - 1 - ((size.height - 1) % stripRows);
  const above = (area.y * size.height) / area.height + lastRow;
  const isNear = above <= size.height - lastRow && (area.x * size.width) / area.width <= size.width;
  if (nesting === 0) return ["hidden", "visible"];
  if (nesting === 1) return isNear ? ["hidden", "visible"] : ["visible"];
  return isNear ? ["hidden"] : [];
}

interface Strip {
  readonly pixels: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * A document, `stripRows` rows at a time.
 * @throws NativeError when the last strip or the first cannot be drawn; what one of them reaches, all others do
 */
export async function drawnInStrips(
  text: string,
  means: Means,
  { size, stripRows }: Pick<Part, "size" | "stripRows">,
): Promise<Rows> {
  const { width, height } = size;
  const document = new ParsedSvg(text, means);
  const take = (start: number) => Math.min(height, start + stripRows) - start;
  const draw = async (start: number): Promise<Strip> => {
    const end = start + take(start);
    return { pixels: await document.draw(width, start, end), start, end };
  };
  let held: Strip | undefined;
  try {
    const last = height - 1 - ((height - 1) % stripRows);
    if (last > 0) await draw(last);
    held = await draw(0);
  } catch (error) {
    document.close();
    throw error;
  }
  let y = 0;
  return {
    width,
    height,
    opaque: false,
    async read(max) {
      if (y === height) return null;
      if (!held || y === held.end) {
        held = undefined;
        const drawn = await guardedAsync(() => draw(y), damaged);
        // Whoever closed the rows in the meantime gets no more of them.
        if (y === height) return null;
        held = drawn;
      }
      // The last one frees the tree, and with it memory that whatever comes next may need.
      if (held.end === height) document.close();
      const from = y - held.start;
      y = Math.min(held.end, y + max);
      return held.pixels.subarray(from * width * 4, (y - held.start) * width * 4);
    },
    close() {
      document.close();
      held = undefined;
      y = height;
    },
  };
}

/** A document that shows an area of another, enlarged or reduced to a size: one pixel to a unit. */
function placed({ drawing: { root }, facts }: Work, { area, size }: Part, overflow: Overflow): string {
  const inner = new Map([...root.attributes].filter(([key]) => key !== "x" && key !== "y"));
  inner.set("width", String(facts.width)).set("height", String(facts.height));
  const style = root.attributes.get("style");
  inner.set("style", style === undefined ? `overflow:${overflow}` : `${style};overflow:${overflow}`);
  if (!inner.has("viewBox")) inner.set("viewBox", `0 0 ${facts.width} ${facts.height}`);
  const [scaleX, scaleY] = [size.width / area.width, size.height / area.height];
  const transform = `matrix(${scaleX} 0 0 ${scaleY} ${-area.x * scaleX} ${-area.y * scaleY})`;
  const group = {
    name: "g",
    attributes: new Map([["transform", transform]]),
    children: [{ ...root, attributes: inner }],
  };
  const attributes = new Map([
    ["width", String(size.width)],
    ["height", String(size.height)],
  ]);
  return writtenSvg({ name: "svg", attributes, children: [group] });
}
