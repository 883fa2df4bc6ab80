/** Objects of the bucket that are read whole. */
import type { HeldBytes, Memory } from "./files.ts";

/** @throws ApiError 503 when there is no room for its bytes: then none of them is read */
export async function readStored(object: R2ObjectBody, memory: Memory): Promise<HeldBytes> {
  const reservation = reserveFor(object, memory);
  try {
    return { bytes: new Uint8Array(await object.arrayBuffer()), memory: reservation };
  } catch (error) {
    reservation.release();
    throw error;
  }
}

function reserveFor({ size, body }: R2ObjectBody, memory: Memory) {
  try {
    return memory.reserve(size);
  } catch (error) {
    void body.cancel().catch(() => undefined);
    throw error;
  }
}
