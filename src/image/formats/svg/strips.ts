/** Pictures of a document, drawn a strip at a time from one parsed tree. */
import type { Facts } from "../../codec/format.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { Box, Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { damaged } from "./document.ts";
import { type Means, ParsedSvg, type View } from "./resvg.ts";
import { type SvgElement, writtenSvg } from "./tree.ts";

export interface Part {
  readonly area: Box;
  readonly size: Size;
  readonly stripRows: number;
}

/** A drawing with what is known of it, and what its work may take. */
export interface Work extends Means {
  readonly root: SvgElement;
  readonly facts: Facts;
}

/**
 * An area of a drawing, enlarged or reduced to a size, as many rows at a time as a strip has.
 * @throws NativeError when the renderer cannot draw it
 */
export function inStrips({ root, facts, ...means }: Work, { area, size, stripRows }: Part): Promise<Rows> {
  const [scaleX, scaleY] = [size.width / area.width, size.height / area.height];
  const picture = { width: Math.ceil(facts.width * scaleX), height: Math.ceil(facts.height * scaleY) };
  const view = { scaleX, scaleY, picture, left: area.x * scaleX, top: area.y * scaleY, width: size.width };
  return drawnInStrips(sized(root, facts), means, { view, height: size.height, stripRows });
}

interface Strip {
  readonly pixels: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * A view of a document, `stripRows` rows at a time.
 * @throws NativeError when the last strip or the first cannot be drawn; what one of them reaches, all others do
 */
export async function drawnInStrips(
  text: string,
  means: Means,
  { view, height, stripRows }: { view: View; height: number; stripRows: number },
): Promise<Rows> {
  const { width } = view;
  const document = new ParsedSvg(text, means, view);
  const take = (start: number) => Math.min(height, start + stripRows) - start;
  const draw = async (start: number): Promise<Strip> => {
    const end = start + take(start);
    return { pixels: await document.draw(start, end), start, end };
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

/** A document whose units are those of its facts. */
function sized(root: SvgElement, { width, height }: Size): string {
  const attributes = new Map([...root.attributes].filter(([key]) => key !== "x" && key !== "y"));
  attributes.set("width", String(width)).set("height", String(height));
  if (!attributes.has("viewBox")) attributes.set("viewBox", `0 0 ${width} ${height}`);
  // As in browsers.
  if (!attributes.has("font-size")) attributes.set("font-size", "16");
  return writtenSvg({ ...root, attributes });
}
