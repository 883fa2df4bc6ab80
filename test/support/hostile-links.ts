/**
 * Drawings of nothing but references to one another, or of nothing but one part of a style sheet: chains, fans, and lists as
 * long as their bytes, or as long as is read. Each is one of the families of hostile-framing.ts.
 */
import { listed, svg } from "./framed.ts";

type Family = (bytes: number) => Uint8Array;

/** References that follow one another, and are still read. */
const CHAIN = 380;
/** Elements that a document may have, but for a few. */
const MOST_ELEMENTS = 99_000;
const SHAPE = '<path d="M0 0h9v9z"/>';

/** What drawings say once, and then parts to the end of their bytes, or of what is read. */
const filled = (before: string, part: (index: number) => string, after: string, most = MOST_ELEMENTS): Family => {
  return (bytes) => {
    const room = Math.max(0, bytes - before.length - after.length - 300);
    return svg("", before + listed(Math.min(room, most * part(0).length), part) + after);
  };
};
const sheet = (part: (index: number) => string, body: string, before = "", after = ""): Family =>
  filled(`<style>${before}`, part, `${after}</style>${body}`, Number.POSITIVE_INFINITY);
const elements = (part: (index: number) => string, before = "", after = "") => filled(before, part, after);
/** Chains of so many parts that each name the next one of theirs. */
const chains = (part: (index: number, next: number) => string, before = ""): Family =>
  elements((index) => part(index, index % CHAIN === CHAIN - 1 ? index : index + 1), before);

const groups = (count: number) => "<g>".repeat(count) + SHAPE + "</g>".repeat(count);

/** Each by its name, which begins with that of the format. */
export const LINKS: Readonly<Record<string, Family>> = {
  // Selectors.
  "SVG, rules for descendants": sheet(() => "g g g g{fill:red}", groups(150)),
  "SVG, rules for children": sheet(() => "g>g>g>g{fill:red}", groups(150)),
  "SVG, rules for siblings": sheet(() => "path~path~path{fill:red}", SHAPE.repeat(500)),
  "SVG, rules for next siblings": sheet(() => "path+path+path{fill:red}", SHAPE.repeat(500)),
  "SVG, a selector of descendants": sheet(() => "g ", groups(150), "", "path{fill:red}"),
  "SVG, a selector of siblings": sheet(() => "path~", SHAPE.repeat(500), "", "path{fill:red}"),
  "SVG, a selector of attributes": sheet(() => "[d]", SHAPE.repeat(500), "path", "{fill:red}"),
  "SVG, a selector of classes": sheet((index) => `.a${index}`, '<path class="a0 a1 a2" d="M0 0h9"/>', "", "{fill:red}"),
  "SVG, selectors in a selector": sheet(() => ":not(", SHAPE, "path", "{fill:red}"),
  "SVG, a selector of exclusions": sheet(() => ":not(g)", SHAPE.repeat(500), "path", "{fill:red}"),
  "SVG, a selector of positions": sheet(() => ":nth-child(n)", SHAPE.repeat(500), "path", "{fill:red}"),
  "SVG, selectors of all": sheet(() => "*,", SHAPE.repeat(500), "", "g{fill:red}"),
  "SVG, rules in rules": sheet(() => "g{", groups(150)),
  "SVG, rules in conditions": sheet(() => "@media all{", groups(9)),
  "SVG, conditions in a condition": sheet(() => "(not ", SHAPE, "@media ", "{g{fill:red}}"),
  "SVG, layers": sheet((index) => `@layer a${index};`, SHAPE),
  "SVG, important words of rules": sheet(() => "fill:red!important;", SHAPE.repeat(500), "path{", "}"),
  // Variables.
  "SVG, variables of variables": sheet(
    (index) => `--a${index}:var(--a${index + 1});`,
    SHAPE,
    "path{",
    "fill:var(--a0)}",
  ),
  "SVG, variables twice in each other": sheet(
    (index) => `--a${index}:var(--a${index + 1})var(--a${index + 1});`,
    SHAPE,
    "path{",
    "fill:var(--a0)}",
  ),
  "SVG, variables in a value": sheet(() => "var(--a)", SHAPE.repeat(500), "path{--a:red;fill:", "}"),
  "SVG, variables instead of variables": sheet(() => "var(--a,", SHAPE, "path{fill:", "}"),
  "SVG, variables of every element": elements(
    (index) => `<g style="--a:var(--b)var(--b);--b:var(--a${index})"/>`,
    "<style>g{fill:var(--a)}</style>",
  ),
  // Elements that use elements.
  "SVG, chains of uses": chains((index, next) => `<g id="a${index}"><use href="#a${next}"/></g>`),
  "SVG, chains of uses backwards": elements((index) => `<g id="a${index}"><use href="#a${index - 1}"/></g>`),
  "SVG, chains that use twice": chains(
    (index, next) => `<g id="a${index}"><use href="#a${next}"/><use href="#a${next}"/></g>`,
  ),
  "SVG, uses of the whole": elements(() => '<use href="#a"/>', '<g id="a">', "</g>"),
  "SVG, uses of shapes": elements((index) => `<path id="a${index}" d="M0 0h9"/><use href="#a${index}"/>`),
  "SVG, uses of symbols": elements(
    () => '<use href="#a" width="9" height="9"/>',
    `<symbol id="a" viewBox="0 0 9 9">${SHAPE}</symbol>`,
  ),
  "SVG, one name for all": elements(() => '<g id="a"/>', "", '<use href="#a"/>'),
  // Masks, clip paths, patterns and markers.
  "SVG, masks": elements((index) => `<mask id="a${index}">${SHAPE}</mask>`),
  "SVG, chains of masks": chains((index, next) => `<mask id="a${index}" mask="url(#a${next})"/>`),
  "SVG, one mask for all": elements(() => '<path mask="url(#a)" d="M0 0h9"/>', `<mask id="a">${SHAPE}</mask>`),
  "SVG, chains of clip paths": chains((index, next) => `<clipPath id="a${index}" clip-path="url(#a${next})"/>`),
  "SVG, one clip path for all": elements(
    () => '<path clip-path="url(#a)" d="M0 0h9"/>',
    `<clipPath id="a">${SHAPE}</clipPath>`,
  ),
  "SVG, chains of patterns": chains((index, next) => `<pattern id="a${index}" href="#a${next}"/>`),
  "SVG, patterns in patterns": chains(
    (index, next) =>
      `<pattern id="a${index}" width="9" height="9"><path fill="url(#a${next})" d="M0 0h9v9z"/></pattern>`,
  ),
  "SVG, one pattern for all": elements(
    () => '<path fill="url(#a)" d="M0 0h9v9z"/>',
    `<pattern id="a" width="1" height="1">${SHAPE}</pattern>`,
  ),
  "SVG, one marker for all": elements(
    () => '<path marker-mid="url(#a)" d="M0 0h9v9h9"/>',
    `<marker id="a">${SHAPE}</marker>`,
  ),
  "SVG, a marker at every point": filled(
    `<marker id="a">${SHAPE}</marker><path marker-mid="url(#a)" d="M0 0`,
    () => "h1",
    '"/>',
    Number.POSITIVE_INFINITY,
  ),
  // Gradients.
  "SVG, chains of gradients": chains((index, next) => `<linearGradient id="a${index}" href="#a${next}"/>`),
  "SVG, chains of gradients backwards": elements(
    (index) => `<radialGradient id="a${index}" href="#a${index - 1}"/>`,
    "",
    '<path fill="url(#a900)" d="M0 0h9v9z"/>',
  ),
  "SVG, gradients that share their stops": elements(
    (index) => `<linearGradient id="a${index}" href="#a"/>`,
    `<linearGradient id="a">${'<stop offset="0"/>'.repeat(500)}</linearGradient>`,
  ),
  "SVG, one gradient for all": elements(
    () => '<path fill="url(#a)" d="M0 0h9v9z"/>',
    '<linearGradient id="a"><stop/><stop offset="1"/></linearGradient>',
  ),
  // Filters.
  "SVG, primitives of a filter": elements(
    () => '<feOffset dx="1"/>',
    '<filter id="a">',
    `</filter><g filter="url(#a)">${SHAPE}</g>`,
  ),
  "SVG, a filter that merges": elements(
    () => "<feMergeNode/>",
    '<filter id="a"><feMerge>',
    `</feMerge></filter><g filter="url(#a)">${SHAPE}</g>`,
  ),
  "SVG, a filter of a list": filled(
    '<path d="M0 0h9v9z" filter="',
    () => "blur(1px) ",
    '"/>',
    Number.POSITIVE_INFINITY,
  ),
  "SVG, a filter by name in a list": filled(
    '<filter id="a"><feOffset/></filter><path d="M0 0h9v9z" filter="',
    () => "url(#a) ",
    '"/>',
    Number.POSITIVE_INFINITY,
  ),
  "SVG, one filter for all": elements(
    () => '<path filter="url(#a)" d="M0 0h9v9z"/>',
    '<filter id="a"><feOffset/></filter>',
  ),
  "SVG, filters": elements((index) => `<filter id="a${index}"><feFlood/></filter>`),
  "SVG, chains of filters": chains(
    (index, next) => `<filter id="a${index}" href="#a${next}"><feImage href="#a${next}"/></filter>`,
  ),
  "SVG, a table of a filter": filled(
    '<filter id="a"><feComponentTransfer><feFuncR type="table" tableValues="',
    () => "1 ",
    `"/></feComponentTransfer></filter><g filter="url(#a)">${SHAPE}</g>`,
    Number.POSITIVE_INFINITY,
  ),
  "SVG, a kernel of a filter": filled(
    '<filter id="a"><feConvolveMatrix order="3" kernelMatrix="',
    () => "1 ",
    `"/></filter><g filter="url(#a)">${SHAPE}</g>`,
    Number.POSITIVE_INFINITY,
  ),
  // Text along what is drawn.
  "SVG, texts along one path": elements(
    () => '<text><textPath href="#a">a</textPath></text>',
    '<path id="a" d="M0 0h9"/>',
  ),
};
