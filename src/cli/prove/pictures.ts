/** Pictures that `npm run prove` sends, and how slowly. */
import { setTimeout as wait } from "node:timers/promises";

const BOUNDARY = "----prove";
const SEGMENT_BYTES = 65_000;
const CHUNK_BYTES = 32_768;

/** A JPEG that is so much larger by comments behind its first marker: the work on it is the same. */
export function padded(jpeg: Uint8Array, bytes: number): Uint8Array {
  const segments: Uint8Array[] = [];
  for (let left = bytes - jpeg.length; left > 0; left -= SEGMENT_BYTES + 4) {
    const length = Math.min(SEGMENT_BYTES, left);
    const segment = new Uint8Array(length + 4);
    segment.set([0xff, 0xfe, (length + 2) >> 8, (length + 2) & 255]);
    segments.push(segment);
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** The body of an upload, and its headers, of which an even part is sent at a time. */
export function uploadOf(
  jpeg: Uint8Array,
  key: string,
  ms: number,
): { readonly method: "POST"; readonly headers: Record<string, string>; readonly body: BodyInit; duplex: "half" } {
  const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
  const whole = Buffer.concat([
    Buffer.from(`${part("data")}\r\n\r\n${JSON.stringify({ resize: { width: 400 } })}\r\n`),
    Buffer.from(`${part("file")}; filename="prove.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`),
    jpeg,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    "content-length": String(whole.length),
  };
  return { method: "POST", headers, body: paced(whole, ms), duplex: "half" };
}

function paced(whole: Uint8Array, ms: number): ReadableStream<Uint8Array> {
  const pauses = Math.max(1, Math.ceil(whole.length / CHUNK_BYTES) - 1);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await wait(ms / pauses);
      controller.enqueue(whole.subarray(at, at + CHUNK_BYTES));
      at += CHUNK_BYTES;
      if (at >= whole.length) controller.close();
    },
  });
}
