/** The settings in pages: addresses of a delivery, which makes a picture when somebody looks at it. */
import { DEMO_KEY } from "./session.js";

/**
 * @import { ShownRequest, UploadBody } from "./shapes.d.ts"
 * @typedef {object} Wanted how a page asks for its pictures
 * @property {string} base the delivery's address
 * @property {string} source
 * @property {readonly number[]} widths
 * @property {string} sizes
 * @property {(width: string) => string} options what is written between braces of a program
 * @property {(width: number) => string} address
 * @property {string | undefined} preset the settings that no address says, as JSON
 */

/** Widths of pages that say none. */
const WIDTHS = [480, 960, 1600];
/** Fits of addresses, by the mode of `resize`. */
const FITS = /** @type {Readonly<Record<string, string>>} */ ({ fit: "cover", fill: "pad", exact: "squeeze" });
/** What addresses say by themselves, or do not do. */
const LEFT_OUT = ["resize", "srcset", "webhook", "store", "reuse"];
const PRESET = "page";

/**
 * @param {ShownRequest} request
 * @returns {Wanted}
 */
function wantedOf({ origin, key, source, body }) {
  const { resize, ...settings } = /** @type {UploadBody} */ (body ?? {});
  const width = Number(resize?.width) || 0;
  const ratio = width > 0 ? (Number(resize?.height) || 0) / width : 0;
  const fit = ratio > 0 ? FITS[resize?.mode ?? "auto"] : undefined;
  const rest = Object.entries(settings).filter(([name]) => !LEFT_OUT.includes(name));
  const preset = rest.length > 0 ? lineOf(Object.fromEntries(rest)) : undefined;
  const base = `${origin}/i/${key === DEMO_KEY ? "demo" : "dl_…"}`;
  const path = source.url ?? `/${encodeURIComponent(source.file)}`;
  const named = [fit && ["fit", fit], preset && ["preset", PRESET]].flatMap((pair) => (pair ? [pair] : []));
  return {
    base,
    source: path,
    widths: width > 0 ? [width, 2 * width] : WIDTHS,
    sizes: width > 0 ? `${width}px` : "100vw",
    preset,
    options: (name) => {
      const height = ratio > 0 ? [`height: Math.round(${name} * ${Number(ratio.toFixed(4))})`] : [];
      const texts = named.map(([option, value]) => `${option}: ${JSON.stringify(value)}`);
      return [name, ...height, ...texts].join(", ");
    },
    address: (wide) => {
      const height = ratio > 0 ? [`height=${Math.round(wide * ratio)}`] : [];
      const texts = named.map((pair) => pair.join("="));
      return `${base}/${[`width=${wide}`, ...height, ...texts].join(",")}/${path.replace(/^\//, "")}`;
    },
  };
}

/**
 * JSON that ends no comment: two characters that it leaves alone are ends of lines in JavaScript.
 * @param {object} value
 */
function lineOf(value) {
  return JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`);
}

/** @param {Wanted} wanted */
function about({ preset, base }) {
  return [
    ...(base.endsWith("…") ? ["The address of your delivery stands on the page Deliveries."] : []),
    ...(preset === undefined ? [] : [`The delivery's preset "${PRESET}" is ${preset}.`]),
  ];
}

/** @param {Wanted} wanted */
function placed({ base }) {
  return `const place = { baseURL: ${JSON.stringify(base)} };`;
}

const IMPORT = 'import { imageURL } from "@darkroom-images/client/image-url";';

/** @param {ShownRequest} request */
export function next(request) {
  const wanted = wantedOf(request);
  return [
    "// image-loader.js",
    IMPORT,
    "",
    ...about(wanted).map((line) => `// ${line}`),
    placed(wanted),
    "",
    "export default function loader({ src, width }) {",
    `  return imageURL(place, src, { ${wanted.options("width")} });`,
    "}",
    "",
    "// next.config.mjs",
    '// export default { images: { loader: "custom", loaderFile: "./image-loader.js" } };',
  ].join("\n");
}

/**
 * What pages of both frameworks compute.
 * @param {Wanted} wanted
 */
function computed(wanted) {
  return [
    IMPORT,
    "",
    ...about(wanted).map((line) => `// ${line}`),
    placed(wanted),
    `const source = ${JSON.stringify(wanted.source)};`,
    `const addressOf = (width) => imageURL(place, source, { ${wanted.options("width")} });`,
    `const srcset = [${wanted.widths.join(", ")}].map((width) => \`\${addressOf(width)} \${width}w\`).join(", ");`,
  ];
}

/** @param {ShownRequest} request */
export function astro(request) {
  const wanted = wantedOf(request);
  const image = `<img src={addressOf(${wanted.widths[0]})} srcset={srcset} sizes="${wanted.sizes}" alt="" />`;
  return ["---", ...computed(wanted), "---", "", image].join("\n");
}

/** @param {ShownRequest} request */
export function nuxt(request) {
  const wanted = wantedOf(request);
  const image = `  <img :src="addressOf(${wanted.widths[0]})" :srcset="srcset" sizes="${wanted.sizes}" alt="" />`;
  return ["<script setup>", ...computed(wanted).map(unended), "</script>", "", "<template>", image, "</template>"].join(
    "\n",
  );
}

/**
 * A line of a script inside HTML, which no text of it ends.
 * @param {string} line
 */
function unended(line) {
  return line.replaceAll("</", String.raw`<\/`);
}

/** @param {ShownRequest} request */
export function html(request) {
  const wanted = wantedOf(request);
  const candidates = wanted.widths.map((width) => `${wanted.address(width)} ${width}w`).join(",\n    ");
  return [
    ...about(wanted).map((line) => `<!-- ${line.replaceAll("--", "- -")} -->`),
    "<img",
    `  src="${attribute(wanted.address(wanted.widths[0] ?? 0))}"`,
    `  srcset="${attribute(candidates)}"`,
    `  sizes="${wanted.sizes}"`,
    '  alt=""',
    ">",
  ].join("\n");
}

/** @param {string} text */
function attribute(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
