/** What every option of imgproxy's open edition means. */
import { generateUrl } from "@imgproxy/imgproxy-js-core";
import { describe, expect, it } from "vitest";

import { IMGPROXY_OPTIONS } from "../../src/delivery/dialects/imgproxy-options.ts";
import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";
import { asked, canonical, type DialectRow as Row, message, ofEdge, ofImgproxy, SOURCE } from "../support/dialects.ts";

const IMGPROXY: readonly Row[] = [
  ["rs:fit:300:200", { resize: { width: 300, height: 200, mode: "auto", upscale: false } }],
  ["resize:fill:300:200:1", { resize: { mode: "fit", upscale: true } }],
  ["rs:fill-down:300:200", { resize: { mode: "shape", upscale: false, density: 1 } }],
  ["rs:fill-down:300:200/g:fp:0.2:1", { resize: { mode: "shape", focus: { x: 0.2, y: 1 } } }],
  ["rs:fill-down:3:3/g:no:0:5/c:9:9", { crop: { width: 9 }, resize: { mode: "shape", offset: { x: 0, y: 5 } } }],
  ["rs:force:300:200:1", { resize: { mode: "exact", upscale: true } }],
  ["rs:force:300:200", { resize: { mode: "exact", upscale: false, density: 1 } }],
  ["rs:force:300", { resize: { width: 300, mode: "exact", upscale: false } }],
  ["rs:force:0:300:1", { resize: { height: 300, mode: "exact", upscale: true } }],
  ["rs:fit:300:200:0:1", { resize: { mode: "auto", canvas: "box", upscale: false, background: "00000000" } }],
  ["rs:fill:300:200:0:1/bg:ff0000", { resize: { mode: "fit", canvas: "box", background: "ff0000" } }],
  ["rs:auto:3:3:1:1", { resize: { mode: "match", canvas: "box", upscale: true } }],
  ["w:9/ex:1", { resize: { width: 9, canvas: "box" } }],
  ["rs:fill:3:3/g:no:0:5/dpr:2", { resize: { mode: "fit", density: 2, offset: { x: 0, y: 5 } } }],
  ["mw:5/w:9/dpr:2", { resize: { width: 9, min_width: 5, density: 2 } }],
  ["mw:5/rs:fill:3:3", { resize: { mode: "fit", min_width: 5 } }],
  ["mh:5/ex:1/w:9/h:9", { resize: { min_height: 5, canvas: "box" } }],
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
  ["w:9/h:9/ex:1:no", { resize: { canvas: "box", canvas_gravity: "top" } }],
  ["w:9/h:9/el:1/exar:1:so", { resize: { canvas: "ratio", canvas_gravity: "bottom", upscale: true } }],
  ["w:9/h:9/exar:1/g:no", { resize: { canvas: "ratio", canvas_gravity: "center", gravity: "top", upscale: false } }],
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
  ["w:9/h:9/ex:1:soea:1:2", { resize: { canvas_gravity: "bottom-right", canvas_offset: { x: 1, y: 2 } } }],
  ["rt:auto/s:30:20", { resize: { mode: "match", upscale: false } }],
  ["trim:10", { trim: { threshold: 10 } }],
  ["t:0:ff00ff:1:0", { trim: { threshold: 0, color: "ff00ff", equal: "horizontal" } }],
  ["t:5.5::t:t", { trim: { threshold: 5.5, equal: "both" } }],
  ["kcr:1", { output: { metadata: "copyright" } }],
  ["sm:0/kcr:1", { output: { metadata: "all" } }],
  ["pd:10:20", { padding: { top: 10, right: 20, bottom: 10, left: 20 } }],
  ["pd:10/dpr:2/el:1/bg:255:0:0", { padding: { top: 20, background: "ff0000" } }],
  ["ar:1", { output: { format: "auto" } }],
  ["ar:0", { rotate: { angle: 0, upright: false } }],
  ["ar:false/rot:90", { rotate: { angle: 90, upright: false } }],
  ["rot:450", { rotate: { angle: 90, upright: true } }],
  ["rot:-90", { rotate: { angle: 270 } }],
  ["fl:1:0", { flip: { horizontal: true, vertical: false } }],
  // A picture is turned, then flipped.
  ["rot:90/fl:1", { flip: { horizontal: false, vertical: true }, rotate: { angle: 90 } }],
  ["rot:180/fl:1", { flip: { horizontal: true, vertical: false }, rotate: { angle: 180 } }],
  ["dpr:0.5", { scale: { size: 0.5 } }],
  ["dpr:0.5/pd:10", { scale: { size: 0.5 }, padding: { top: 5 } }],
  ["dpr:2/pd:10", { padding: { top: 10 } }],
  ["dpr:2/el:1/pd:10", { scale: { size: 2 }, padding: { top: 20 } }],
  ["eth:1/skp/raw:0", { output: { format: "auto" } }],
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
    ["rs:auto:3:3/z:2:1", "resizing_type auto with a zoom that changes the shape is not offered"],
    ["skp:png", "skip_processing:png is not offered"],
    ["raw:1", "raw:1 is not offered"],
    ["max_src_resolution:1", "max_src_resolution is not a known option"],
    ["t:256", "trim must be a number between 0 and 255"],
    ["t:10:red", "trim must have a hex color"],
    ["g:no:x", "gravity must be a number between -16384 and 16384"],
    ["g:up", "gravity must be one of no, so, ea, we, noea, nowe, soea, sowe, ce"],
    ["rot:45", "rotate must be a multiple of 90"],
    ["f:psd", "format must be one of avif, jxl, webp, jpeg, png, gif, ico, bmp, tiff, mp4"],
    ["fq:webp:50", "format_quality needs a format"],
  ])("refuses %s by name", (options, sentence) => {
    expect(message(() => canonical(ofImgproxy(options)))).toEqual([422, sentence]);
  });
});
