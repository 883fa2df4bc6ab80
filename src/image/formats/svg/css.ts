/** Style sheets and attributes without references to elsewhere. */

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
const IMPORT = /@(?:import|namespace|charset)[^;{}]*(?:;|$)/gi;
const FONT_FACE = /@font-face\s*\{[^}]*\}?/gi;
const REFERENCE = /(?:url|src|image|image-set)\(\s*(?:"([^"]*)"|'([^']*)'|([^)"']*))\s*\)?/gi;
const ACTIVE = /expression\s*\(|javascript:|vbscript:|-moz-binding|behavior\s*:|@import|@font-face/i;

/**
 * Keeps rules whose references are to places in the document only. Text that hides something behind escapes is dropped
 * whole.
 */
export function cleanCss(css: string): string {
  const plain = css
    .replace(COMMENT, "")
    .replace(IMPORT, "")
    .replace(FONT_FACE, "")
    .replace(REFERENCE, (all, double?: string, single?: string, bare?: string) =>
      (double ?? single ?? bare ?? "").trim().startsWith("#") ? all : "none",
    );
  const revealed = plain.replace(/\\([\da-f]{1,6})\s?|\\/gi, (_, code?: string) =>
    code ? String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(code, 16))) : "",
  );
  const hidden = revealed !== plain && /url\s*\(|@/i.test(revealed);
  return hidden || ACTIVE.test(revealed) ? "" : plain.trim();
}
