/** Who may import whom: the rooms of the code from the bottom to the top, each with all that it may import. */

export interface Room {
  /** Files, or folders with all that is in them; the longest path that fits a file decides. */
  readonly paths: readonly string[];
  /** Rooms, and single files of rooms that it may not import as a whole. */
  readonly imports: readonly string[];
  /** Packages, and modules of the runtime. */
  readonly packages?: readonly string[];
  /** Rooms of which it may import types. */
  readonly types?: readonly string[];
  /** Folders of the room that do not import each other. */
  readonly areApart?: boolean;
}

const BASE = ["limits", "leaves"];
const LOW = ["leaves", "wasm", "scheduler", "pixels"];

/** A room may name rooms above its own line only, so no arrow can lead back. */
export const ROOMS: Readonly<Record<string, Room>> = {
  limits: { paths: ["src/limits", "src/limits.ts"], imports: [] },
  leaves: { paths: ["src"], imports: ["limits"], packages: ["valibot"] },
  // Tools that make and check modules run on Node, in files of their own.
  wasm: { paths: ["wasm"], imports: [] },
  "wasm tools": {
    paths: [
      "wasm/signatures.ts",
      "wasm/upstream.ts",
      "wasm/faces/compile-mmod.ts",
      "wasm/faces/compile-network.ts",
      ...["code", "costs", "instrument", "operators"].map((name) => `wasm/fuel/${name}.ts`),
    ],
    imports: ["wasm"],
    packages: ["node:", "wasmparser"],
  },
  // Shares memory and time, and knows no image.
  scheduler: { paths: ["src/scheduler"], imports: [...BASE, "wasm"] },
  // Rows of colors, without formats.
  pixels: { paths: ["src/image/color", "src/image/pixels"], imports: [...BASE, "wasm", "scheduler"] },
  // What files are made of beside pixels.
  files: {
    paths: ["src/image/containers", "src/image/metadata", "src/image/gain-map", "src/image/text"],
    imports: [...BASE, "wasm", "pixels"],
    packages: ["@rgrove/parse-xml", "css-line-break"],
  },
  // Manifests of Content Credentials: what they say, and whether it holds.
  provenance: { paths: ["src/image/provenance"], imports: ["leaves", "files"] },
  steps: { paths: ["src/image/steps"], imports: ["wasm", "scheduler", "pixels"], packages: ["valibot"] },
  codec: { paths: ["src/image/codec"], imports: [...LOW, "files", "provenance", "steps"] },
  formats: {
    paths: ["src/image/formats", "src/image/formats.ts"],
    imports: ["limits", ...LOW, "files", "provenance", "steps", "codec"],
  },
  plan: {
    paths: ["src/image/plan"],
    imports: ["limits", ...LOW, "files", "steps", "codec", "formats"],
    packages: ["valibot"],
  },
  // What requests ask for by name.
  operations: {
    paths: [
      "src/image/faces",
      "src/image/analyses",
      "src/image/analyses.ts",
      "src/image/filters",
      "src/image/filters.ts",
      "src/image/operations",
      "src/image/operations.ts",
    ],
    imports: ["limits", ...LOW, "files", "steps", "codec", "formats", "plan"],
    packages: ["valibot", "blurhash", "thumbhash"],
  },
  search: { paths: ["src/image/search"], imports: ["limits", ...LOW, "files", "steps", "codec", "plan"] },
  render: {
    paths: ["src/image/render"],
    imports: [...LOW, "files", "provenance", "steps", "codec", "formats", "plan", "operations", "search"],
  },

  // States and moves of jobs, and nothing else.
  "webhook record": { paths: ["src/webhook/record.ts"], imports: ["limits"] },
  // Where files come from and go to, and who pays: they are told of each other by the pipeline.
  edges: {
    paths: ["src/source", "src/storage", "src/account", "src/webhook"],
    imports: [...BASE, "wasm/zlib.ts", "scheduler", "provenance", "webhook record"],
    packages: ["valibot", "aws4fetch", "node:buffer"],
    areApart: true,
  },
  // A Durable Object, of which the runtime makes as many as there are accounts.
  meter: { paths: ["src/account/meter.ts"], imports: [...BASE, "edges"], packages: ["cloudflare:workers"] },
  contract: {
    paths: ["src/contract"],
    imports: [
      ...BASE,
      "webhook record",
      "steps",
      "formats",
      "plan",
      "operations",
      "src/image/metadata/metadata-option.ts",
      "src/image/provenance/signer.ts",
      "src/image/search/second-opinion.ts",
      "src/storage/provider.ts",
      "src/storage/providers.ts",
    ],
    types: ["codec"],
    packages: ["valibot", "node:buffer"],
  },
  // Joins the edges to the engine; `process` is given its edges as arguments.
  process: {
    paths: [
      "answer",
      "describe",
      "entries",
      "search-report",
      "info",
      "job",
      "named-stores",
      "picture-html",
      "process",
      "result-files",
      "self-test",
    ].map((name) => `src/pipeline/${name}.ts`),
    imports: [
      ...BASE,
      "scheduler",
      "pixels",
      "provenance",
      "steps",
      "plan",
      "codec",
      "formats",
      "operations",
      "search",
      "render",
      "contract",
    ],
    types: ["edges"],
    packages: ["valibot"],
  },
  pipeline: {
    paths: ["src/pipeline"],
    imports: [...BASE, "scheduler", "provenance", "edges", "meter", "contract", "process"],
  },
  // An address in, a canonical request out.
  dialects: {
    paths: [
      "src/delivery/dialects",
      ...["dialects", "dialect-names", "asked", "css-color", "merge", "sources"].map(
        (name) => `src/delivery/${name}.ts`,
      ),
    ],
    imports: [...BASE, "contract"],
    packages: ["color-name"],
  },
  delivery: {
    paths: ["src/delivery"],
    imports: [
      ...BASE,
      "scheduler",
      "pixels",
      "codec",
      "formats",
      "plan",
      "search",
      "edges",
      "contract",
      "process",
      "pipeline",
      "dialects",
    ],
  },
  // Whole buckets: what is done to which object, and who is told.
  batch: {
    paths: ["src/batch"],
    imports: [...BASE, "scheduler", "codec", "formats", "edges", "contract", "pipeline"],
  },
  // Do not import each other, but for `reseal`, which an administrator starts.
  entrances: {
    paths: ["src/entrances"],
    imports: [
      ...BASE,
      "scheduler",
      "edges",
      "meter",
      "src/contract/budget-alert.ts",
      "process",
      "pipeline",
      "dialects",
      "delivery",
      "batch",
    ],
    packages: ["cloudflare:workers"],
  },
  http: {
    paths: ["src/http"],
    imports: [
      ...BASE,
      "wasm",
      "scheduler",
      "pixels",
      "provenance",
      "plan",
      "webhook record",
      "edges",
      "contract",
      "process",
      "pipeline",
      "dialects",
      "delivery",
      "batch",
      "src/entrances/reseal.ts",
    ],
    packages: ["hono", "valibot", "node:buffer", "node:crypto"],
  },
  index: {
    paths: ["src/index.ts"],
    imports: ["limits", "pipeline", "entrances", "http"],
    packages: ["cloudflare:workers"],
  },
  // The Worker of objects that are apart: nothing of it works on pictures.
  objects: { paths: ["src/objects.ts"], imports: ["src/entrances/courier.ts", "src/entrances/meter.ts"] },
  // The Worker at whose host pictures are: the door, and the cache before it.
  pictures: {
    paths: ["src/pictures.ts"],
    imports: ["src/delivery/door.ts", "src/delivery/front-cache.ts"],
    packages: ["cloudflare:workers"],
  },

  // Programs beside the Worker: what a person runs, what sites take, what a browser shows.
  docs: { paths: ["src/docs"], imports: ["limits"], packages: ["marked", "node:"] },
  clients: {
    paths: ["src/clients"],
    imports: [],
    packages: ["astro", "react", "svelte", "vue", "@darkroom-images/client", "cloudflare:workers", "node:"],
  },
  cli: {
    paths: ["src/cli"],
    imports: [...BASE, "docs", "src/clients/api-types.d.ts"],
    packages: ["node:", "miniflare", "smol-toml", "valibot", "wrangler"],
  },
  // The Worker of `npm run prove`: the service, and beside it what measures the platform.
  probe: {
    paths: ["src/cli/prove/worker.ts"],
    imports: ["wasm", "index"],
    packages: ["node:crypto"],
  },
  playground: { paths: ["src/playground"], imports: ["src/clients/api-types.d.ts"] },
};
