/** Both dialects: what every option of an address means, however it is spelled. */
import { describe, expect, it } from "vitest";

import type { Asked } from "../../src/delivery/asked.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import type { OperationName } from "../../src/image/operations.ts";
import { sizeAfter } from "../../src/image/plan/plan.ts";
import { canonical, type DialectRow as Row, message, ofEdge, ofImgproxy, SOURCE } from "../support/dialects.ts";
import { planned } from "../support/operations.ts";
import { noise } from "../support/rows.ts";

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
  // What is stretched and may not grow shrinks in both directions alike.
  [() => ofImgproxy("rs:force:10:80"), [3, 20]],
  [() => ofImgproxy("rs:force:10:10"), [10, 10]],
  [() => ofImgproxy("rs:force:10"), [10, 20]],
  [() => ofImgproxy("rs:force:80"), [40, 10]],
  [() => ofImgproxy("rs:force:0:80:1"), [40, 80]],
  [() => ofImgproxy("rs:fill:30:10/dpr:3"), [40, 13]],
  [() => ofImgproxy("rs:fill:80:80:0:1"), [80, 80]],
  [() => ofImgproxy("w:80/ex:1"), [80, 20]],
  [() => ofImgproxy("w:10/h:10/exar:1"), [10, 10]],
  [() => ofImgproxy("w:80/h:80/exar:1"), [40, 40]],
  [() => ofImgproxy("rs:fill-down:100:50:0:0/exar:1"), [40, 20]],
  [() => ofImgproxy("rs:fill:10:10/mw:60"), [10, 10]],
  [() => ofImgproxy("dpr:0.5/pd:4"), [24, 14]],
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
