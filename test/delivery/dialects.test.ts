/** Both dialects: what every option of an address means, however it is spelled. */
import { generateUrl } from "@imgproxy/imgproxy-js-core";
import { describe, expect, it } from "vitest";

import type { Asked, Dialect } from "../../src/delivery/asked.ts";
import { canonicalOf } from "../../src/delivery/canonical.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import { IMGPROXY_OPTIONS } from "../../src/delivery/dialects/imgproxy-options.ts";
import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";
import type { OperationName } from "../../src/image/operations.ts";
import { sizeAfter } from "../../src/image/plan/plan.ts";
import { planned } from "../support/operations.ts";
import { noise } from "../support/rows.ts";

const SOURCE = "https://www.example.com/a.jpg";
const presets = { card: { resize: { width: 320, height: 240, mode: "fit" } }, gray: { adjust: { grayscale: true } } };

function asked(dialect: Dialect, path: string): Asked {
  const spelled = dialect.split(path);
  if (!spelled) throw new Error("no address");
  return dialect.read(spelled);
}

const ofEdge = (options: string) => asked(edgeNetwork, `/${options}/${SOURCE}`);
const ofImgproxy = (options: string) => asked(imgproxy, `/unsafe/${options}/plain/${SOURCE}`);
const canonical = (one: Asked, accept?: string) => canonicalOf({ presets, provenance: "auto" }, one, accept);
const message = (work: () => unknown): unknown => {
  try {
    work();
    return "nothing was refused";
  } catch (error) {
    return [(error as { status: number }).status, (error as Error).message];
  }
};

type Row = readonly [options: string, members: object];

const EDGE: readonly Row[] = [
  ["-", { output: { format: "auto" } }],
  ["width=300", { resize: { width: 300, mode: "auto", upscale: false } }],
  ["w=300", { resize: { width: 300, mode: "auto", upscale: false } }],
  ["h=200", { resize: { height: 200, mode: "auto", upscale: false } }],
  ["w=100,dpr=2.5", { resize: { width: 250 } }],
  ["w=300,h=200,fit=scale-down", { resize: { width: 300, height: 200, mode: "auto", upscale: false } }],
  ["w=300,h=200,fit=contain", { resize: { width: 300, height: 200, mode: "auto", upscale: true } }],
  ["w=300,h=200,fit=cover", { resize: { width: 300, height: 200, mode: "fit", upscale: true, gravity: "center" } }],
  ["w=300,h=200,fit=crop", { resize: { width: 300, height: 200, mode: "fit", upscale: false } }],
  ["w=300,h=200,fit=pad", { resize: { mode: "fill", background: "ffffff" } }],
  ["w=300,h=200,fit=squeeze", { resize: { mode: "exact", upscale: true } }],
  ["w=3,h=2,fit=cover,gravity=face", { resize: { gravity: "face" } }],
  ["w=3,h=2,fit=cover,g=auto", { resize: { gravity: "auto" } }],
  ["w=3,h=2,fit=cover,g=left", { resize: { gravity: "left" } }],
  ["w=3,h=2,fit=cover,g=0.3x0.7", { resize: { position: { x: 0.3, y: 0.7 } } }],
  ["quality=61", { optimize: { quality: 61 } }],
  ["q=high", { optimize: { compression: "low" } }],
  ["q=medium-high", { optimize: { compression: "medium" } }],
  ["q=medium-low", { optimize: { compression: "high" } }],
  ["q=low", { optimize: { compression: "ultra" } }],
  ["f=avif", { output: { format: "avif" } }],
  ["f=jxl", { output: { format: "jxl" } }],
  ["format=webp", { output: { format: "webp" } }],
  ["f=jpeg", { output: { format: "jpeg" } }],
  ["f=baseline-jpeg", { output: { format: "jpeg", encoding: "baseline" } }],
  ["f=png", { output: { format: "png" } }],
  ["f=gif", { output: { format: "gif" } }],
  ["compression=fast", { optimize: { quality: 80 } }],
  ["compression=lossless", { optimize: { compression: "lossless" } }],
  ["background=%23ff8800", { background: { color: "ff8800" } }],
  ["background=rebeccapurple", { background: { color: "663399" } }],
  ["background=rgb(0%2C128%2C255)", { background: { color: "0080ff" } }],
  ["w=9,h=9,fit=pad,background=red", { resize: { background: "ff0000" } }],
  ["blur=250", { filter: { blur: { value: 100, mode: "gaussian" } } }],
  ["brightness=1.5", { filter: { tone: { brightness: 1.5, contrast: 1, gamma: 1, saturation: 1 } } }],
  ["contrast=0.5", { filter: { tone: { contrast: 0.5 } } }],
  ["gamma=2", { filter: { tone: { gamma: 2 } } }],
  ["saturation=0", { filter: { tone: { saturation: 0 } } }],
  ["sharpen=1", { adjust: { sharpen: 10 } }],
  ["rotate=90", { rotate: { angle: 90 } }],
  ["flip=h", { flip: { horizontal: true, vertical: false } }],
  ["flip=hv", { flip: { horizontal: true, vertical: true } }],
  ["metadata=none", { output: { format: "auto" } }],
  ["metadata=copyright", { output: { metadata: "copyright" } }],
  ["metadata=keep", { output: { metadata: "all" } }],
  ["trim=border", { trim: {} }],
  [
    "trim.border.color=%23102030,trim.border.tolerance=5,trim.border.keep=10",
    { trim: { color: "102030", threshold: 5 } },
  ],
  ["trim=border,trim.border.tolerance=200,trim.border.keep=4,dpr=2", { trim: { threshold: 100, padding: 8 } }],
  ["trim=20;30;0.25;0", { trim: { top: 20, right: 30, bottom: 0.25 } }],
  ["trim.width=678,trim.left=30,dpr=1.5", { trim: { width: 1017, left: 45 } }],
  ["anim=true", { output: { format: "auto" } }],
  ["anim=false", { output: { format: "auto", animation: false } }],
  ["anim=false,f=webp", { output: { format: "webp", animation: false } }],
  ["onerror=redirect", { output: { format: "auto" } }],
  ["preset=card", { resize: { width: 320, height: 240, mode: "fit" } }],
  ["p=gray,w=5", { adjust: { grayscale: true }, resize: { width: 5 } }],
  [`json=${btoa('{"stylize":{"sepia":{"value":50}}}')}`, { filter: { sepia: { value: 50 } } }],
  ["exp=99999999999", { output: { format: "auto" } }],
];

const IMGPROXY: readonly Row[] = [
  ["rs:fit:300:200", { resize: { width: 300, height: 200, mode: "auto", upscale: false } }],
  ["resize:fill:300:200:1", { resize: { mode: "fit", upscale: true } }],
  ["rs:fill-down:300:200", { crop: { mode: "ratio", ratio: "300:200" }, resize: { mode: "auto", upscale: false } }],
  ["rs:force:300:200:1", { resize: { mode: "exact", upscale: true } }],
  ["rs:fit:300:200:0:1", { resize: { mode: "fill", upscale: false, background: "00000000" } }],
  ["s:300:200:1", { resize: { width: 300, height: 200, upscale: true } }],
  ["size:300", { resize: { width: 300 } }],
  ["rt:fill/w:30/h:20", { resize: { mode: "fit", upscale: false } }],
  ["width:30", { resize: { width: 30 } }],
  ["height:30", { resize: { height: 30 } }],
  ["mw:50/w:100", { resize: { width: 100, min_width: 50, upscale: false } }],
  ["mh:50/g:no", { resize: { min_height: 50, gravity: "top" } }],
  ["mw:0/mh:0", { output: { format: "auto" } }],
  ["w:100/z:2", { resize: { width: 200 } }],
  ["zoom:0.5", { scale: { size: 0.5, ratio: 1 } }],
  ["w:100/dpr:3", { resize: { width: 300 } }],
  ["w:100/el:1", { resize: { upscale: true } }],
  ["w:9/h:9/ex:1:no", { resize: { mode: "fill", gravity: "top" } }],
  ["w:9/h:9/el:1/exar:1:so", { resize: { mode: "fill", gravity: "bottom" } }],
  ["rs:fill:3:2/g:nowe", { resize: { gravity: "top-left" } }],
  ["rs:fill:3:2/gravity:sm", { resize: { gravity: "auto" } }],
  ["rs:fill:3:2/g:fp:0.2:1", { resize: { focus: { x: 0.2, y: 1 } } }],
  ["c:100:50", { crop: { mode: "rect", width: 100, height: 50 } }],
  ["crop:100:0:ea", { crop: { width: 100, height: 16_384, gravity: "right" } }],
  ["c:100:50:nowe:10:20", { crop: { width: 100, height: 50, gravity: "top-left", offset: { x: 10, y: 20 } } }],
  ["c:0.5:0.25", { crop: { width: 0.5, height: 0.25 } }],
  ["c:10:10:fp:0.3:0.7", { crop: { focus: { x: 0.3, y: 0.7 } } }],
  ["c:10:10/g:fp:0.3:0.7", { crop: { focus: { x: 0.3, y: 0.7 } } }],
  ["rs:fill:3:2/g:no:10:0.2", { resize: { gravity: "top", offset: { x: 10, y: 0.2 } } }],
  ["rs:fill:3:2:1/g:ce:-10:0.2/dpr:2", { resize: { gravity: "center", offset: { x: -20, y: 0.2 } } }],
  ["w:9/h:9/ex:1:soea:1:2", { resize: { mode: "fill", gravity: "bottom-right", offset: { x: 1, y: 2 } } }],
  ["rt:auto/s:30:20", { resize: { mode: "match", upscale: false } }],
  ["trim:10", { trim: { threshold: 10 } }],
  ["t:0:ff00ff:1:0", { trim: { threshold: 0, color: "ff00ff", equal: "horizontal" } }],
  ["t:5.5::t:t", { trim: { threshold: 5.5, equal: "both" } }],
  ["kcr:1", { output: { metadata: "copyright" } }],
  ["sm:0/kcr:1", { output: { metadata: "all" } }],
  ["pd:10:20", { padding: { top: 10, right: 20, bottom: 10, left: 20 } }],
  ["pd:10/dpr:2/bg:255:0:0", { padding: { top: 20, background: "ff0000" } }],
  ["ar:1", { output: { format: "auto" } }],
  ["rot:450", { rotate: { angle: 90 } }],
  ["fl:1:0", { flip: { horizontal: true, vertical: false } }],
  ["bg:ff8800", { background: { color: "ff8800" } }],
  ["bl:5", { filter: { blur: { value: 5 } } }],
  ["sh:0.5", { adjust: { sharpen: 25 } }],
  ["pix:6", { filter: { pixellate: { value: 6 } } }],
  ["sm:1/kcr:0/scp:1/ph:0", { output: { format: "auto" } }],
  ["scp:0", { output: { format: "auto", profile: "keep" } }],
  ["ph:1", { output: { format: "auto", hdr: "keep" } }],
  ["ph:1/f:jpg", { output: { format: "jpeg", hdr: "keep" } }],
  ["ph:1/f:avif", { output: { format: "avif", hdr: "keep" } }],
  ["ph:1/f:webp", { output: { format: "webp" } }],
  ["q:70", { optimize: { quality: 70 } }],
  ["f:webp/fq:jpeg:10:webp:55", { optimize: { quality: 55 }, output: { format: "webp" } }],
  ["mb:10000/q:9", { optimize: { target_bytes: 10_000 } }],
  ["f:jpg", { output: { format: "jpeg" } }],
  ["ext:avif", { output: { format: "avif" } }],
  ["cb:v2", { output: { format: "auto" } }],
  ["exp:99999999999", { output: { format: "auto" } }],
  ["fn:holiday/att:1", { output: { format: "auto" } }],
  ["pr:card:gray", { resize: { width: 320 }, adjust: { grayscale: true } }],
];

describe("the edge network's options", () => {
  it.each(EDGE)("%s", (options, members) => {
    expect(canonical(ofEdge(options)).processing).toMatchObject(members);
  });

  it.each([
    ["w=100,h=50", "h=50,w=100", "height=50,width=100", "fit=scale-down,w=50,h=25,dpr=2", "w=100,h=50,blur=0,gamma=1"],
    ["-", "f=auto", "w=auto", "fit=cover", "q=best", "brightness=0"],
    ["-", "flip=x", "rotate=0", "f=none", "dpr=3", "anim=true"],
    ["w=9,h=9,fit=cover", "fit=cover,g=center,w=9,h=9", "h=9,fit=cover,w=9,g=middle"],
    ["w=9", "w=9,fit=crop", "w=9,exp=99999999999", "w=9,onerror=redirect"],
    ["blur=10,brightness=2", "brightness=2,blur=10.0"],
  ])("one request, spelled %s and otherwise", (first, ...others) => {
    const { text } = canonical(ofEdge(first));
    expect(others.map((other) => canonical(ofEdge(other)).text)).toEqual(others.map(() => text));
  });

  it.each([
    ["size=3", "size is not a known option"],
    ["toString=3", "toString is not a known option"],
    ["<b>=3", "an option is not a known option"],
    ["w=0", "width must be an integer between 1 and 16384"],
    ["w=1.5", "width must be an integer between 1 and 16384"],
    ["h=abc", "height must be an integer between 1 and 16384"],
    ["w=9000,dpr=2", "width times dpr must be at most 16384"],
    ["dpr=5", "dpr must be a number between 0.1 and 4"],
    ["q=101", "quality must be an integer between 1 and 100"],
    ["g=1.5x0", "gravity must be a number between 0 and 1"],
    ["blur=251", "blur must be a number between 0 and 250"],
    ["sharpen=x", "sharpen must be a number between 0 and 10"],
    ["rotate=45", "rotate must be 90, 180 or 270"],
    ["exp=soon", "exp must be an integer between 0 and 8640000000000"],
    ["json=e", "json must be a JSON object in base64url"],
    [`json=${btoa('{"store":{}}')}`, "store is not a known parameter"],
    ["preset=none", "preset must be one of the delivery's presets"],
    ["trim=10", "trim must be border or top;right;bottom;left"],
    ["trim=1;2;3;x", "trim must be a number between 0 and 16384"],
    ["trim.border.tolerance=300", "trim.border.tolerance must be an integer between 0 and 255"],
    ["trim.depth=3", "an option is not a known option"],
  ])("refuses %s by name", (options, sentence) => {
    expect(message(() => canonical(ofEdge(options)))).toEqual([422, sentence]);
  });

  it("are a segment of their own, or a dash", () => {
    expect(edgeNetwork.split(`/${SOURCE}`)).toBeUndefined();
    expect(edgeNetwork.split("/w=1")).toBeUndefined();
    expect(edgeNetwork.split(`/cdn-cgi/image/w=1/${SOURCE}`)?.source).toBe(SOURCE);
    expect(edgeNetwork.split("/sig=x/a.jpg")).toMatchObject({ signature: "x", signed: "//a.jpg", options: "" });
    for (const options of ["sig=x,w=1,h=2", "w=1,sig=x,h=2", "w=1,h=2,sig=x"]) {
      expect(edgeNetwork.split(`/${options}/a.jpg`)).toMatchObject({ signature: "x", signed: "/w=1,h=2/a.jpg" });
    }
    expect(edgeNetwork.split("/cdn-cgi/image/w=1,sig=x/a.jpg")?.signed).toBe("/cdn-cgi/image/w=1/a.jpg");
  });

  it.each([
    ["https://www.example.com/a.jpg", SOURCE],
    ["https:/www.example.com/a.jpg", SOURCE],
    ["/https://www.example.com/a.jpg", SOURCE],
    [encodeURIComponent(SOURCE), SOURCE],
    [`${encodeURIComponent(SOURCE)}?v=1`, SOURCE],
    ["https://www.example.com/a.jpg?x=1&y=2", `${SOURCE}?x=1&y=2`],
    ["https://www.example.com/a.jpg%3Fx=1", `${SOURCE}?x=1`],
    ["shop/folder/a.jpg", "shop/folder/a.jpg"],
    ["%2Fuploads%2Fa.jpg", "uploads/a.jpg"],
  ])("take the source %s", (spelled, source) => {
    expect(edgeNetwork.split(`/-/${spelled}`)?.source).toBe(source);
  });
});

describe("imgproxy's options", () => {
  it.each(IMGPROXY)("%s", (options, members) => {
    expect(canonical(ofImgproxy(options)).processing).toMatchObject(members);
  });

  it("are all tried", () => {
    const tried = [...IMGPROXY.map(([options]) => options), "t:1", "sm:1/kcr:0/scp:1", "mw:0/mh:0"];
    const names = tried.flatMap((options) => options.split("/")).map((option) => option.split(":")[0] ?? "");
    const known = new Set(names.map((name) => IMGPROXY_OPTIONS.get(name)?.name));
    expect(new Set([...IMGPROXY_OPTIONS.values()].map(({ name }) => name))).toEqual(known);
  });

  it("give the same request as the edge network's", () => {
    const same = [
      ["rs:fit:300:200", "w=300,h=200"],
      ["rs:fill:300:200:1/g:no", "w=300,h=200,fit=cover,g=top"],
      ["q:50/f:jpg", "f=jpeg,q=50"],
      ["rot:180/fl:1:1", "flip=hv,rotate=180"],
    ] as const;
    for (const [one, other] of same) expect(canonical(ofImgproxy(one)).text).toBe(canonical(ofEdge(other)).text);
  });

  it("know the source, plain and in base64, with and without an extension", () => {
    const encoded = btoa(SOURCE).replace(/=+$/, "");
    const cut = `${encoded.slice(0, 10)}/${encoded.slice(10)}`;
    for (const tail of [`plain/${SOURCE}`, `plain/${encodeURIComponent(SOURCE)}`, encoded, cut]) {
      expect(asked(imgproxy, `/unsafe/w:1/${tail}`)).toMatchObject({ source: SOURCE, format: "auto" });
    }
    expect(asked(imgproxy, `/unsafe/w:1/plain/${SOURCE}@webp`)).toMatchObject({ source: SOURCE, format: "webp" });
    expect(asked(imgproxy, `/unsafe/w:1/${cut}.png`)).toMatchObject({ source: SOURCE, format: "png" });
    expect(asked(imgproxy, `/unsafe/${cut}`)).toMatchObject({ source: SOURCE });
    expect(asked(imgproxy, "/unsafe/w:1/***").source).toBeUndefined();
  });

  it("are what the official builder of addresses writes", () => {
    const options = { resize: { resizing_type: "fill", width: 300, height: 200, enlarge: 1 }, quality: 80 } as const;
    for (const type of ["plain", "base64"] as const) {
      const value = type === "plain" ? SOURCE : btoa(SOURCE).replace(/=+$/, "");
      const path = generateUrl({ value, type }, { ...options, gravity: { type: "no" } });
      expect(asked(imgproxy, `/unsafe${path}`).source).toBe(SOURCE);
      expect(canonical(asked(imgproxy, `/unsafe${path}`)).text).toBe(
        canonical(ofEdge("w=300,h=200,fit=cover,g=top,q=80")).text,
      );
    }
  });

  it("call the file as they say", () => {
    expect(ofImgproxy("fn:holiday/att:1")).toMatchObject({ fileName: "holiday", isAttachment: true });
    expect(ofImgproxy(`fn:${btoa("déjà vu").replace(/=+$/, "")}:0`).isAttachment).toBe(false);
    expect(ofImgproxy("cb:a").variant).not.toBe(ofImgproxy("cb:b").variant);
  });

  it.each([
    ["watermark:1", "watermark is not a known option"],
    ["w:x", "width must be an integer between 0 and 16384"],
    ["rt:big", "resizing_type must be one of fit, fill, fill-down, force, auto"],
    ["rs:auto:3:3:1:1", "extend with this resizing_type is not offered"],
    ["rs:auto:3:3/z:2:1", "resizing_type auto with a zoom that changes the shape is not offered"],
    ["rs:fill:3:3/g:no:0:5/dpr:2", "gravity with offsets in pixels with dpr without enlarge is not offered"],
    ["rs:fill-down:3:3/g:no:0:5", "gravity with offsets with resizing_type fill-down is not offered"],
    ["mw:5/dpr:2", "min-width with dpr or zoom is not offered"],
    ["mw:5/rs:fill:3:3", "min-width with this resizing_type is not offered"],
    ["mh:5/ex:1/w:9/h:9", "min-width with extend is not offered"],
    ["t:101", "trim must be a number between 0 and 100"],
    ["t:10:red", "trim must have a hex color"],
    ["ar:0", "auto_rotate:0 is not offered"],
    ["g:no:x", "gravity must be a number between -16384 and 16384"],
    ["g:up", "gravity must be one of no, so, ea, we, noea, nowe, soea, sowe, ce"],
    ["rot:45", "rotate must be a multiple of 90"],
    ["f:psd", "format must be one of avif, jxl, webp, jpeg, png, gif, ico, bmp, tiff"],
    ["fq:webp:50", "format_quality needs a format"],
    ["rs:force:5", "resizing_type force needs width and height"],
  ])("refuses %s by name", (options, sentence) => {
    expect(message(() => canonical(ofImgproxy(options)))).toEqual([422, sentence]);
  });
});

/** What the documentation of each says of a picture of 40 x 20 pixels. */
const SIZES: readonly (readonly [asked: () => Asked, size: readonly [number, number]])[] = [
  [() => ofEdge("w=20"), [20, 10]],
  [() => ofEdge("w=80"), [40, 20]],
  [() => ofEdge("w=80,fit=contain"), [80, 40]],
  [() => ofEdge("w=80,h=80,fit=scale-down"), [40, 20]],
  [() => ofEdge("w=80,h=80,fit=contain"), [80, 40]],
  [() => ofEdge("w=80,h=80,fit=cover"), [80, 80]],
  [() => ofEdge("w=80,h=80,fit=crop"), [40, 20]],
  [() => ofEdge("w=10,h=80,fit=crop"), [10, 20]],
  [() => ofEdge("w=10,h=10,fit=crop"), [10, 10]],
  [() => ofEdge("w=80,h=80,fit=pad"), [80, 80]],
  [() => ofEdge("w=80,h=80,fit=squeeze"), [80, 80]],
  [() => ofEdge("w=10,rotate=90"), [10, 20]],
  [() => ofImgproxy("rs:fit:80:80"), [40, 20]],
  [() => ofImgproxy("rs:fit:80:80:1"), [80, 40]],
  [() => ofImgproxy("rs:fill:80:80"), [40, 20]],
  [() => ofImgproxy("rs:fill:80:80:1"), [80, 80]],
  [() => ofImgproxy("rs:fill-down:80:80"), [20, 20]],
  [() => ofImgproxy("rs:fill-down:10:10"), [10, 10]],
  [() => ofImgproxy("rs:force:10:80"), [10, 20]],
  [() => ofImgproxy("rs:fit:80:80:0:1"), [80, 80]],
  [() => ofImgproxy("c:10:0/w:5"), [5, 10]],
  [() => ofImgproxy("c:0.5:0.25"), [20, 5]],
  [() => ofImgproxy("c:0:0.01"), [40, 1]],
  // What does not fit where the offset puts it is moved back, not cut.
  [() => ofImgproxy("c:10:10:nowe:35:15"), [10, 10]],
  // Wide into wide is filled, wide into upright is fitted; a square is wide.
  [() => ofImgproxy("rs:auto:20:15"), [20, 15]],
  [() => ofImgproxy("rs:auto:10:10"), [10, 10]],
  [() => ofImgproxy("rs:auto:10:15"), [10, 5]],
  [() => ofImgproxy("rot:90/rs:auto:10:15"), [10, 15]],
  [() => ofImgproxy("c:10:0/rs:auto:8:10"), [8, 10]],
  [() => ofImgproxy("rot:90/w:10/pd:1:2:3:4"), [16, 24]],
  [() => ofImgproxy("z:0.5"), [20, 10]],
  // Enlarged to the least sides whatever enlarge says, then cut to the sides that are asked for.
  [() => ofImgproxy("mw:80"), [80, 40]],
  [() => ofImgproxy("mh:40"), [80, 40]],
  [() => ofImgproxy("mw:10/mh:10"), [40, 20]],
  [() => ofImgproxy("w:20/mw:30"), [20, 15]],
  [() => ofImgproxy("rs:fit:20:20/mh:20/g:we"), [20, 20]],
  [() => ofImgproxy("rs:fit:80:80/mw:20"), [40, 20]],
  [() => ofImgproxy("rs:fit:80:80:1/mh:60"), [80, 60]],
];

it.each(SIZES)("makes results of the size that the documentation names: %#", async (ask, [width, height]) => {
  const { processing } = canonical(ask());
  let size = { width: 40, height: 20 };
  for (const name of ["rotate", "crop", "resize", "scale", "padding"] satisfies OperationName[]) {
    const params = processing[name];
    if (params === undefined) continue;
    const steps = await planned(name, params, noise(size.width, size.height));
    for (const step of steps) size = sizeAfter(step, size);
  }
  expect(size).toEqual({ width, height });
});

it("keeps clients of different abilities apart only where the format is left open", () => {
  const chrome = "image/avif,image/webp,image/apng,image/*,*/*;q=0.8";
  const text = (options: string, accept?: string) => canonical(ofEdge(options), accept).text;
  expect(text("-", chrome)).toBe(text("-", "image/avif"));
  const others = [chrome, "image/webp,*/*", "*/*", "image/avif;q=0,image/webp;q=0"];
  expect(new Set(others.map((one) => text("-", one))).size).toBe(3);
  expect(text("f=webp", chrome)).toBe(text("f=webp", undefined));
  expect(canonical(ofEdge("-"), "*/*").accept).toBe("image/jpeg,image/png,image/gif");
});
