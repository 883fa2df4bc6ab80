/** Bodies of uploads, well-formed and otherwise. */
import { readUpload } from "../../src/source/upload.ts";

export const BOUNDARY = "----form-boundary-7MA4YWxk";
export const LIMIT = 100_000;

export interface Part {
  readonly headers: string;
  readonly content: Uint8Array | string;
}

export const filePart = (content: Uint8Array | string, disposition = 'name="file"; filename="cat.jpg"'): Part => ({
  headers: `Content-Disposition: form-data; ${disposition}\r\nContent-Type: image/jpeg\r\n`,
  content,
});
export const dataPart = (content: string): Part => ({
  headers: 'Content-Disposition: form-data; name="data"\r\n',
  content,
});

export function bytesOf(parts: readonly Part[], boundary = BOUNDARY, end = "--\r\n"): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => [`--${boundary}\r\n${headers}\r\n`, content, "\r\n"]);
  return Buffer.concat([...pieces, `--${boundary}${end}`].map((piece) => Buffer.from(piece as string)));
}

export function requestOf(
  body: Uint8Array | ReadableStream<Uint8Array> | null,
  type = `multipart/form-data; boundary=${BOUNDARY}`,
): Request {
  return new Request("https://api.example/1.0/upload", { method: "POST", headers: { "content-type": type }, body });
}

/** A body that arrives in pieces cut at these places. */
export function pieces(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      const end = ends.shift() ?? bytes.length;
      if (end > start) controller.enqueue(bytes.slice(start, end));
      start = end;
      if (start === bytes.length) controller.close();
    },
  });
}

export const read = (body: Uint8Array | ReadableStream<Uint8Array> | null, type?: string, limit = LIMIT) =>
  readUpload(requestOf(body, type), limit);
