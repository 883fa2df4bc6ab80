/** The cases of imgproxy's own tests, read out of its sources. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Case {
  readonly suite: string;
  readonly hash: string;
  readonly source: string;
  readonly options: string;
  readonly size?: readonly [number, number] | undefined;
}

/** Every file of every format in every format that has a hash. */
export async function matrix(folder: string): Promise<Case[]> {
  const cases: Case[] = [];
  const base = "TestMatrix/TestMatrix";
  const root = join(folder, "testdata/test-hashes", base);
  const folders: Readonly<Record<string, string>> = { heic: "heif", jpeg: "jpg" };
  for (const source of await readdir(root)) {
    for (const target of await readdir(join(root, source))) {
      for (const name of await readdir(join(root, source, target))) {
        const file = `test-images/${folders[source] ?? source}/${name.replace(/\.hash$/, "")}`;
        if (!existsSync(join(folder, "testdata", file))) continue;
        const hash = `${base}/${source}/${target}/${name}`;
        cases.push({ suite: `matrix, ${target}`, hash, source: file, options: `f:${target}/q:100` });
      }
    }
  }
  return cases;
}

type Fields = ReadonlyMap<string, string>;

/** The tables of `processing/*_test.go`. */
export async function tables(folder: string): Promise<Case[]> {
  const cases: Case[] = [];
  const processing = join(folder, "processing");
  for (const file of (await readdir(processing)).filter((name) => name.endsWith("_test.go"))) {
    const text = await readFile(join(processing, file), "utf8");
    const suite = /type (\w+)TestSuite struct/.exec(text)?.[1] ?? "";
    for (const [, name = "", body = ""] of text.matchAll(/^func \(s \*\w+\) (Test\w+)\(\) \{\n([\s\S]*?)^\}/gm)) {
      cases.push(...casesOf(`Test${suite}`, name, body));
    }
  }
  return [...cases.filter(({ hash }) => existsSync(join(folder, "testdata/test-hashes", hash))), ...turns()];
}

function casesOf(suite: string, name: string, body: string): Case[] {
  const sizes = new Map<string, readonly [number, number]>([
    ["colorspaceTestOutSize", [100, 100]],
    ["flattenTestOutSize", [500, 500]],
  ]);
  for (const [, key = "", w, h] of body.matchAll(/(\w+) := testSize\{(\d+), (\d+)\}/g)) {
    sizes.set(key, [Number(w), Number(h)]);
  }
  const shared = new Map<string, string>();
  for (const [, key = "", value = ""] of body.matchAll(/tc\.opts\.(\w+) = ([^\n]+)/g)) shared.set(key, value);
  const found: Case[] = [];
  const entry = /opts:\s*(\w+)\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\},(?:\s*configValue:\s*\w+,)?\s*outSize:\s*([^\n]+)/g;
  for (const [, type = "", inner = "", out = ""] of body.matchAll(entry)) {
    const fields = new Map(shared);
    for (const [, key = "", value = ""] of inner.matchAll(/(\w+):\s*((?:testSize\{[^}]*\})|[^,\n}]+)/g)) {
      fields.set(key, value.trim());
    }
    // Written without names.
    if (!inner.includes(":"))
      for (const [at, value] of inner.split(",").entries()) fields.set(String(at), value.trim());
    const made = MAKERS[type]?.(fields, sizes);
    if (!made) continue;
    const suffix = name === "TestLinearColorspace" ? "_linear" : name === "TestDownscaleHDR" ? "_no_preserve_hdr" : "";
    const key = name.startsWith("TestResizeTo") ? `${fields.get("width") ?? 0}x${fields.get("height") ?? 0}` : made.key;
    found.push({
      suite: suite.slice(4),
      hash: `${suite}/${name}/${key}${suffix}/test.hash`,
      source: made.source,
      options: made.options,
      size: sizeOf(out, sizes),
    });
  }
  return found;
}

function sizeOf(
  text: string,
  sizes: ReadonlyMap<string, readonly [number, number]>,
): readonly [number, number] | undefined {
  const named = /^(\w+)[,}]/.exec(text)?.[1];
  if (named !== undefined && sizes.has(named)) return sizes.get(named);
  const [, w = "", h = ""] = /^testSize\{(?:width: )?([^,]+), (?:height: )?([^}]+)\}/.exec(text) ?? [];
  const value = (one: string) => {
    const [, name = "", side = "", sign, factor] = /^(\w+)\.(width|height)(?: ([*/]) (\d+))?$/.exec(one.trim()) ?? [];
    const base = sizes.get(name)?.[side === "width" ? 0 : 1];
    if (base === undefined) return Number(one);
    return sign === "*" ? base * Number(factor) : sign === "/" ? base / Number(factor) : base;
  };
  return w === "" ? undefined : [value(w), value(h)];
}

interface Made {
  readonly key: string;
  readonly source: string;
  readonly options: string;
}

const GRAVITIES: Readonly<Record<string, string>> = {
  Center: "ce",
  North: "no",
  East: "ea",
  South: "so",
  West: "we",
  NorthWest: "nowe",
  NorthEast: "noea",
  SouthWest: "sowe",
  SouthEast: "soea",
  Replicate: "re",
};
const TYPES: Readonly<Record<string, string>> = {
  ResizeFit: "fit",
  ResizeFill: "fill",
  ResizeFillDown: "fill-down",
  ResizeForce: "force",
  ResizeAuto: "auto",
};
const COLORS: Readonly<Record<string, readonly [number, number, number]>> = {
  Red: [255, 0, 0],
  Blue: [0, 0, 255],
  White: [255, 255, 255],
  Magenta: [255, 0, 255],
  Gray: [128, 128, 128],
};

const last = (value: string | undefined) => value?.split(".").at(-1) ?? "";
const amount = (fields: Fields, key: string) => Number(fields.get(key) ?? 0);
const gravityIn = (fields: Fields, key: string) => GRAVITIES[last(fields.get(key)).replace("Gravity", "")];
const fixed = (value: number) => value.toFixed(6);
const text = (fields: Fields, key: string) => (fields.get(key) ?? "").replaceAll('"', "");
const joined = (...parts: readonly (string | number | false | undefined)[]) =>
  parts.filter((part) => part !== false && part !== undefined && part !== "").join("/");

function pairIn(fields: Fields, key: string, sizes: ReadonlyMap<string, readonly [number, number]>) {
  return sizes.get(fields.get(key) ?? "") ?? sizeOf(fields.get(key) ?? "", sizes) ?? [0, 0];
}

function offsetIn(fields: Fields): { readonly key: string; readonly values: string } {
  const [x, y] = [amount(fields, "xOffset"), amount(fields, "yOffset")];
  return x || y
    ? { key: `_offset_${fixed(x)}_${fixed(y)}`, values: `:${x || ""}${y ? `:${y}` : ""}` }
    : { key: "", values: "" };
}

function densityIn(fields: Fields): { readonly key: string; readonly option: string } {
  const dpr = amount(fields, "dpr");
  return dpr ? { key: `_dpr_${dpr}`, option: `dpr:${dpr}` } : { key: "", option: "" };
}

/** What the methods `URLOptions`, `String` and `ImagePath` of each kind of case say. */
const MAKERS: Readonly<
  Record<string, (fields: Fields, sizes: ReadonlyMap<string, readonly [number, number]>) => Made>
> = {
  sizeTestCase(fields) {
    const type = TYPES[last(fields.get("resizingType"))] ?? "fit";
    const [w, h, limit, rotate] = ["width", "height", "limit", "rotate"].map((key) => amount(fields, key));
    const is = (key: string) => fields.get(key) === "true";
    const pads = ["paddingTop", "paddingRight", "paddingBottom", "paddingLeft"].map((key) => amount(fields, key));
    const key = [
      `${type}:${w}x${h}`,
      limit ? `:limit:${limit}` : "",
      is("enlarge") ? "_en:true" : "",
      is("extend") ? "_ex:true" : "",
      is("extendAR") ? "_exAR:true" : "",
      rotate ? `_rotate:${rotate}` : "",
      pads.some(Boolean) ? `_padding:${pads.join("x")}` : "",
    ].join("");
    const options = joined(
      limit ? `max_result_dimension:${limit}` : "",
      `resize:${type}:${w}:${h}`,
      is("enlarge") && "enlarge:1",
      is("extend") && "extend:1",
      is("extendAR") && "extend_aspect_ratio:1",
      rotate ? `rotate:${rotate}` : "",
      pads.some(Boolean) && `padding:${pads.join(":")}`,
    );
    return { key, source: "geometry.png", options };
  },
  resizeFillGravityTestCase(fields, sizes) {
    const [w, h] = pairIn(fields, "size", sizes);
    const gravity = gravityIn(fields, "gravity");
    const [offset, density] = [offsetIn(fields), densityIn(fields)];
    const key = `resizeFill_${w}x${h}${gravity ? `_gravity_${gravity}` : ""}${offset.key}${density.key}`;
    const options = joined(`rs:fill:${w}:${h}`, gravity && `g:${gravity}${offset.values}`, density.option);
    return { key, source: "geometry.png", options };
  },
  cropTestCase(fields, sizes) {
    const [w, h] = pairIn(fields, "cropSize", sizes);
    const [gravity, cropGravity] = [gravityIn(fields, "gravity"), gravityIn(fields, "cropGravity")];
    const [offset, density] = [offsetIn(fields), densityIn(fields)];
    const parts = [
      gravity ? `_gravity_${gravity}` : "",
      cropGravity ? `_crop_gravity_${cropGravity}` : "",
      w && h ? `_crop_${w}x${h}` : "",
      offset.key,
      density.key,
    ];
    const options = joined(
      `crop:${w}:${h}${cropGravity ? `:${cropGravity}${offset.values}` : ""}`,
      gravity && `gravity:${gravity}`,
      density.option,
    );
    return { key: parts.join("").replace(/^_/, ""), source: "geometry.png", options };
  },
  extendTestCase: (fields, sizes) => extended("extend", "extend", fields, sizes),
  extendArTestCase: (fields, sizes) => extended("extendAr", "extend_aspect_ratio", fields, sizes),
  paddingTestCase(fields) {
    const pads = ["paddingTop", "paddingRight", "paddingBottom", "paddingLeft"].map((key) => amount(fields, key));
    const dpr = amount(fields, "dpr");
    const options = `dpr:${fixed(dpr)}/padding:${pads.join(":")}/background:f00/enlarge:1`;
    return { key: `dpr_${dpr}_pad_${pads.join("_")}`, source: "geometry.png", options };
  },
  flattenTestCase(fields) {
    const color = COLORS[last(fields.get("background"))];
    const options = joined(
      "resize:fill:300:300/enlarge:1/padding:100",
      `format:${last(fields.get("format")).toLowerCase()}`,
      color && `background:${color.join(":")}`,
    );
    return { key: text(fields, "name"), source: text(fields, "sourceFile"), options };
  },
  colorspaceTestCase(fields) {
    const mark = fields.has("watermarkFile") && "watermark:0.5";
    const options = joined(`resize:fill:100:100/enlarge:1/format:${last(fields.get("outFormat")).toLowerCase()}`, mark);
    return { key: text(fields, "name"), source: text(fields, "sourceFile"), options };
  },
  preserveHDRTestCase(fields) {
    const format = last(fields.get("outFormat")).toLowerCase();
    const options = `resize:fill:100:100/enlarge:1/format:${format}/preserve_hdr:${fields.get("preserveHDR") ?? "false"}`;
    return { key: text(fields, "name"), source: text(fields, "sourceFile"), options };
  },
  effectTestCase(fields) {
    const [blur, sharpen, pixelate] = ["0", "1", "2"].map((key) => amount(fields, key));
    const key = [
      blur ? `_blur_${fixed(blur)}` : "",
      sharpen ? `_sharpen_${fixed(sharpen)}` : "",
      pixelate ? `_pixelate_${pixelate}` : "",
    ].join("");
    const options = `blur:${fixed(blur ?? 0)}/sharpen:${fixed(sharpen ?? 0)}/pixelate:${pixelate}`;
    return { key: key.slice(1), source: "test-images/png/png.png", options };
  },
  trimTestCase(fields) {
    const color = COLORS[last(fields.get("color"))];
    const hex = color?.map((value) => value.toString(16).padStart(2, "0")).join("");
    const [across, down] = [fields.get("equalHor") === "true", fields.get("equalVer") === "true"];
    const threshold = amount(fields, "threshold");
    const key = `trim_threshold_${threshold}${hex ? `_color_#${hex}` : ""}${across ? "_equalHor" : ""}${down ? "_equalVer" : ""}`;
    const options = `trim:${threshold}:${hex ?? ""}:${across ? 1 : ""}:${down ? 1 : ""}`.replace(/:+$/, "");
    return { key, source: text(fields, "sourceFile"), options };
  },
  watermarkTestCase(fields) {
    const gravity = gravityIn(fields, "position") ?? "ce";
    const [x, y, scale, opacity] = ["xOffset", "yOffset", "scale", "opacity"].map((key) => amount(fields, key));
    const density = densityIn(fields);
    const key = `${gravity}_opacity_${opacity}${x || y ? `_offset_${x}_${y}` : ""}${scale ? `_scale_${scale}` : ""}${density.key}`;
    const options = joined(
      `watermark:${opacity}:${gravity}:${x || ""}:${y || ""}:${scale || ""}`.replace(/:+$/, ""),
      density.option,
    );
    return { key, source: text(fields, "sourceFile") || "test-images/jpg/jpg.jpg", options };
  },
};

function extended(
  name: string,
  option: string,
  fields: Fields,
  sizes: ReadonlyMap<string, readonly [number, number]>,
): Made {
  const [w, h] = pairIn(fields, "size", sizes);
  const gravity = gravityIn(fields, "gravity");
  const [offset, density] = [offsetIn(fields), densityIn(fields)];
  const key = `${name}_${w}x${h}${gravity ? `_gravity_${gravity}` : ""}${offset.key}${density.key}`;
  const options = joined(
    `width:${w}/height:${h}/${option}:1${gravity ? `:${gravity}${offset.values}` : ""}`,
    density.option,
  );
  return { key, source: "geometry.png", options };
}

/** Eight orientations, turned and flipped, upright first and not. */
function turns(): Case[] {
  const cases: Case[] = [];
  for (const upright of [false, true]) {
    for (let image = 0; image < 8; image++) {
      for (const angle of [0, 90, 180, 270]) {
        for (const [horizontal, vertical] of [
          [false, false],
          [false, true],
          [true, false],
          [true, true],
        ] as const) {
          const options = joined(
            angle > 0 && `rotate:${angle}`,
            (horizontal || vertical) && `flip:${horizontal ? 1 : ""}${vertical ? ":1" : ""}`,
            !upright && "auto_rotate:0",
          );
          const name = upright ? "TestRotateFlipAutoRotate" : "TestRotateFlip";
          const key = `img-${image}_rotate-${angle}_flip-${horizontal}_${vertical}_ar-${upright}`;
          const hash = `TestRotateAndFlip/${name}/${key}.hash`;
          cases.push({ suite: "RotateAndFlip", hash, source: `orientation-${image}.png`, options });
        }
      }
    }
  }
  return cases;
}
