import { openEncoder, encodePeakBytes } from "../wasm/jpeg/jpeg.ts";
import { packedLimit } from "../wasm/jpeg/encoder.ts";
import { jpegHeap } from "../wasm/jpeg/instance.ts";
import { noise, scene } from "../test/support/rows.ts";
import sharp from "sharp";
const S = 2048;
const tile = await sharp("/work/shared/images/photos/demo-large-photo.jpg").extract({ left: 500, top: 300, width: S, height: S }).ensureAlpha().raw().toBuffer();
for (const [name, data] of [["noise", noise(S, S).data], ["sharpest photo", new Uint8Array(tile)]] as const) for (const quality of [50, 80, 90, 95, 98, 100]) for (const subsampling of ["4:2:0", "4:4:4"] as const) {
  jpegHeap(true);
  const o = { width: S, height: S, quality, subsampling, progressive: true };
  const e = openEncoder(o); e.write(data.subarray(0, S * 4 * 8), 8); const start = jpegHeap().used; // fixed part, roughly
  e.write(data.subarray(S * 4 * 8), S - 8); const end = jpegHeap().used; const b = e.finish();
  const samples = S * S * (subsampling === "4:2:0" ? 1.5 : 3);
  const dc = samples / 32; // allocated before
  console.log(name, quality, subsampling, "packed/sample", ((end - start + dc) / samples).toFixed(3), "file/packed", (b.length / (end - start + dc)).toFixed(2), "limit", (packedLimit(o) / samples).toFixed(2));
}
