/** A picture for benches that want any: a module of its own, so that they load no service with it. */
import { crc32, deflateSync } from "node:zlib";

/** A square gray ramp as PNG, so that no fixture is needed. */
export function ramp(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const framed = Buffer.alloc(body.byteLength + 8);
    framed.writeUInt32BE(data.byteLength, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.byteLength + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8; // bits per sample; color type 0 (gray), no interlacing
  const rows = Buffer.alloc(side * (side + 1));
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) rows[y * (side + 1) + 1 + x] = (x * 255) / side;
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.of()),
  ]);
}
