/**
 * The fonts that texts are set in, as they come from `wasm/resvg/fonts.sh`: letters of Latin, Greek and Cyrillic. SVG
 * documents are set in the first family, whatever they name, unless they name another one of these.
 */
import monoBold from "../../../../wasm/resvg/fonts/mono-bold.woff2";
import mono from "../../../../wasm/resvg/fonts/mono.woff2";
import sansBold from "../../../../wasm/resvg/fonts/sans-bold.woff2";
import sans from "../../../../wasm/resvg/fonts/sans.woff2";
import serifBold from "../../../../wasm/resvg/fonts/serif-bold.woff2";
import serif from "../../../../wasm/resvg/fonts/serif.woff2";

interface Family {
  /** As the files call it, and documents do. */
  readonly name: string;
  readonly files: { readonly 400: ArrayBuffer; readonly 700: ArrayBuffer };
}

export const FAMILIES = {
  sans: { name: "Inter", files: { 400: sans, 700: sansBold } },
  serif: { name: "Noto Serif", files: { 400: serif, 700: serifBold } },
  mono: { name: "Noto Sans Mono", files: { 400: mono, 700: monoBold } },
} as const satisfies Record<string, Family>;

/** The files that a document may be set in. */
export function fontsOf(document: string): Uint8Array[] {
  const families = Object.values(FAMILIES).filter(
    (family) => family === FAMILIES.sans || document.includes(family.name),
  );
  return families.flatMap(({ files }) => Object.values(files).map((file) => new Uint8Array(file)));
}
