import { readdirSync } from "node:fs";
import sharp from "sharp";
import { openEncoder, encodePeakBytes } from "../wasm/jpeg/jpeg.ts";
import { packedLimit } from "../wasm/jpeg/encoder.ts";
import { jpegHeap } from "../wasm/jpeg/instance.ts";
sharp.concurrency(1);
const dir = "/work/shared/images/";
const worst: any = {};
for (const cls of ["photos", "graphics"]) for (const f of readdirSync(dir + cls)) {
  if (!/\.(png|jpg)$/.test(f)) continue;
  const { data, info } = await sharp(dir + cls + "/" + f).resize({ width: 3000, height: 2000, fit: "inside", withoutEnlargement: true }).flatten({ background: "#fff" }).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.width * info.height < 200000) continue;
  for (const quality of [50, 80, 90, 95, 98, 100]) for (const subsampling of ["4:2:0", "4:4:4"] as const) {
    jpegHeap(true);
    const e = openEncoder({ width: info.width, height: info.height, quality, subsampling, progressive: true });
    let bytes;
    try { e.write(new Uint8Array(data), info.height); bytes = e.finish(); } catch (x: any) { console.log(f, quality, subsampling, x.message); continue; }
    const fixed = encodePeakBytes({ width: info.width, height: info.height, quality, subsampling }) - packedLimit({ width: info.width, height: info.height, quality, subsampling });
    const samples = info.width * info.height * (subsampling === "4:2:0" ? 1.5 : 3);
    const per = (jpegHeap().peak - fixed) / samples, share = bytes.length / (jpegHeap().peak - fixed);
    const k = `${cls} q${quality} ${subsampling}`;
    (worst[k] ??= []).push([per, f, share, bytes.length / info.width / info.height]);
  }
}
for (const [k, v] of Object.entries<any>(worst)) { v.sort((a: any, b: any) => b[0] - a[0]); console.log(k, "worst", v.slice(0, 2).map((x: any) => x[0].toFixed(3) + " " + x[1]).join(", "), "median", v[v.length >> 1][0].toFixed(3), "file/packed max", Math.max(...v.map((x: any) => x[2])).toFixed(2)); }
