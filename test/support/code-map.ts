/** The map of the code: what every folder is for. A test compares it with the folders that are there. */

/**
 * Folders by their paths, several that are one idea in one row, in the order of the pipeline: entrances before what
 * they use.
 */
const ROWS: readonly (readonly [folders: string, sentence: string])[] = [
  ["src", "the Worker's entry, and the leaves: errors, limits, settings, log"],
  ["src/limits", "bounds of one subject each"],
  ["src/http", "the API: app, routes, authentication, answers, openapi.json"],
  ["src/http/routes", "a row for each endpoint: path, schemas, examples"],
  ["src/http/handlers", "what each endpoint does"],
  ["src/http/{mcp,mcp/tools}", "the Model Context Protocol, and in tools a file for each tool"],
  ["src/contract", "schemas of requests and answers, made from the registries"],
  ["src/entrances", "what wakes the Worker beside a request: queue, courier, sweep"],
  ["src/pipeline", "the way of every picture from source to answer"],
  ["src/delivery", "pictures by address: policy, caches, drafts and finals"],
  ["src/batch", "whole buckets, object by object: state, marks, what is done to one"],
  ["src/delivery/dialects", "a file for each dialect of addresses"],
  ["src/source", "where originals come from: uploads, URLs behind a guard"],
  ["src/storage", "where results go: R2, and a file for each provider"],
  ["src/webhook", "records of jobs, their states, signed notifications"],
  ["src/account", "keys, credits, usage, sealed secrets, databases"],
  ["src/scheduler", "who may have how much memory and time, and who waits: knows no image"],
  ["src/image", "the engine; directly in it the registries of formats, operations, filters and analyses"],
  ["src/image/render", "one result or several: from an original to files, what they carry besides pixels"],
  ["src/image/plan", "an original as a plan: detection, geometry, thumbnails, what is asked of the output"],
  ["src/image/codec", "what a format is, and what formats share: writers, complexity, metered rows, quantizer"],
  ["src/image/formats", "a file for each format, its parts in a folder of its name"],
  ["src/image/operations", "a file for each operation of the API"],
  ["src/image/analyses", "a file for each analysis"],
  ["src/image/steps", "what operations and analyses are, and the steps they plan: work on rows of pixels"],
  ["src/image/pixels", "rows, bands, pictures, geometry: knows no formats"],
  ["src/image/filters", "the filters of `filter`"],
  ["src/image/faces", "finding faces"],
  ["src/image/color", "profiles and color spaces"],
  ["src/image/gain-map", "gain maps of pictures of high dynamic range: what they mean, what becomes of them"],
  ["src/image/metadata", "EXIF, XMP and IPTC: what is kept of them"],
  ["src/image/provenance", "manifests of where pictures are from (C2PA): read, verified, signed"],
  ["src/image/containers", "the walk over the parts of a file, and a file without some of them"],
  ["src/image/text", "what fonts say of letters, lines, texts as drawings"],
  ["src/image/search", "the search for the smallest file: attempts, score, session"],
  ["src/migrations", "the schema of the databases"],
  ["src/clients", "the package for sites and programs: addresses, signatures, a typed API"],
  ["src/clients/components", "the package of components: React, Vue, Svelte, Astro"],
  ["src/clients/sharp", "the package of chains with sharp's names"],
  ["src/cli", "npm start, npm run dev, npm run serve, npm run deploy"],
  ["src/cli/batch", "npx darkroom, the command for many pictures"],
  ["src/cli/batch/bucket", "npx darkroom bucket, for whole buckets"],
  ["src/cli/create", "the starter: a repository that depends on the package of the Worker"],
  ["src/cli/prove", "npm run prove: what the platform's documents do not say, asked of the platform"],
  ["src/cli/package", "the package of the command, and what builds it and that of the Worker"],
  ["src/cli/package/worker", "what the package of the Worker says of itself"],
  ["src/playground", "the pages: playground, deliveries, account, reference"],
  ["src/playground/docs", "the pages of this documentation, generated"],
  ["src/playground/pictures", "the pictures of this documentation, made by the service"],
  ["src/docs", "this documentation, and its unit figures"],
  ["src/docs/site", "Markdown as pages"],
  ["wasm", "native modules: how they are built, loaded, estimated, paused"],
  [
    "wasm/{jpeg,webp,gif,tiff,jpeg2000,av1-decode,av1-encode,hevc-decode,hevc-encode,jxl-decode,jxl-encode}",
    "codecs in C",
  ],
  ["wasm/{pixels,color,effects,quantize,score,faces,superres}", "loops over pixels in C"],
  ["wasm/resvg", "the renderer of SVG, and fonts"],
  ["wasm/jxl", "what the codecs of JPEG XL are built from"],
  ["wasm/fuel", "counts what modules compute"],
  [
    "test/{account,batch,cli,contract,delivery,entrances,http,image,pipeline,playground,scheduler,source,storage,wasm,webhook}",
    "tests of the folder of that name",
  ],
  ["test/browser", "the pages in Chromium"],
  ["test/components", "what the test of the components installs"],
  ["test/generators", "the API document, by what generators of clients make of it"],
  ["test/bench", "measurements"],
  ["test/fuzz", "damaged files; native code under sanitizers"],
  ["test/platform", "the platform's rules and its bill, around the real bindings"],
  ["test/{fixtures,support}", "files that tests read, and what tests share"],
];

/** Folders whose own folders are of the same kind as they are. */
const LEAVES = /^(?:wasm\/[^/]+|test\/[^/]+|src\/image\/[^/]+)\//;

/** The folders that the map must name, of all folders of the repository. */
export function mappedFolders(folders: readonly string[]): string[] {
  return folders.filter(
    (folder) => /^(?:src|wasm|test)(?:$|\/)/.test(folder) && folder !== "test" && !LEAVES.test(folder),
  );
}

/** The folders that the map names. */
export const NAMED_FOLDERS: readonly string[] = ROWS.flatMap(([folders]) => {
  const [, start = "", names] = /^(.*)\{(.*)\}$/.exec(folders) ?? [];
  return names === undefined ? [folders] : names.split(",").map((name) => start + name);
});

/** The map as a program block, which wraps nowhere. */
export function codeMap(): string {
  const lines = ROWS.flatMap(([folders, sentence]) => {
    const [, start = "", names] = /^(.*)\{(.*)\}$/.exec(folders) ?? [];
    if (names === undefined) return [`${folders.padEnd(WIDTH)}${sentence}`];
    return wrapped(names.split(",")).map((line, position) =>
      position === 0
        ? `${`${start}…`.padEnd(WIDTH)}${sentence}:\n${" ".repeat(INDENT)}${line}`
        : " ".repeat(INDENT) + line,
    );
  });
  return ["```text", ...lines, "```"].join("\n");
}

/** Where sentences begin, in characters. */
const WIDTH = 24;
const INDENT = 4;
/** As wide as the lines with the longest sentences. */
const LINE = 96;

function wrapped(names: readonly string[]): string[] {
  const lines = [""];
  for (const name of names) {
    const last = lines.at(-1) ?? "";
    if (INDENT + last.length + name.length + 1 > LINE) lines.push(name);
    else lines[lines.length - 1] = last === "" ? name : `${last} ${name}`;
  }
  return lines;
}
