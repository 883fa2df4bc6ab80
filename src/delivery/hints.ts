/**
 * `width=auto`: the width by what the browser says of itself (https://wicg.github.io/responsive-image-client-hints/), as the
 * next of the delivery's widths. Whatever a client makes up, a result is one of a listed width.
 */
import type { Unsigned } from "../contract/deliveries.ts";
import type { Asked } from "./asked.ts";
import { nextListed } from "./policy.ts";

/** What a page may delegate to the service, so that its browser says it here. */
export const ACCEPT_CH = "Sec-CH-Width, Sec-CH-Viewport-Width, Sec-CH-DPR";
/** What an answer depends on; the names without prefix are those of older browsers. */
export const VARY_HINTS = [
  "Sec-CH-Width",
  "Width",
  "Sec-CH-Viewport-Width",
  "Viewport-Width",
  "Sec-CH-DPR",
  "DPR",
  "Save-Data",
].join(", ");

type Header = (name: string) => string | undefined;

/**
 * An address that leaves its width to the browser, with the width that is served. Without a hint it is the largest, and where
 * the delivery lists no widths the address says none.
 */
export function withHintedWidth({ unsigned }: { readonly unsigned: Unsigned }, asked: Asked, header: Header): Asked {
  const { sizedTo, body } = asked;
  const widths = (unsigned === false ? undefined : unsigned.widths) ?? [];
  if (!sizedTo || widths.length === 0) return asked;
  const width = nextListed(pixelsOf(header) ?? Infinity, widths);
  return { ...asked, width, body: { ...body, resize: sizedTo(width) } };
}

/** How many pixels the picture is shown with; undefined where nothing says it. */
function pixelsOf(header: Header): number | undefined {
  const first = (...names: readonly string[]) => names.map((name) => numberOf(header(name))).find(Number.isFinite);
  const density = first("sec-ch-dpr", "dpr") ?? 1;
  const savesData = header("save-data")?.trim().toLowerCase() === "on";
  // The width is said in pixels of the screen, that of the window in those of the page.
  const width = first("sec-ch-width", "width");
  if (width !== undefined) return savesData ? width / Math.max(1, density) : width;
  const window = first("sec-ch-viewport-width", "viewport-width");
  return window === undefined ? undefined : window * (savesData ? 1 : density);
}

function numberOf(text = ""): number {
  return /^\d{1,5}(?:\.\d{1,6})?$/.test(text.trim()) && Number(text) > 0 ? Number(text) : Number.NaN;
}
