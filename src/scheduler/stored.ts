/** Objects of the bucket that are read whole. */
import type { Caller } from "./caller.ts";
import type { HeldBytes, Memory, Reservation } from "./held-bytes.ts";

/**
 * Reads an object once there is room for it.
 * @throws ApiError 503 when there is none in time: then none of its bytes is read
 */
export async function readStored(object: R2ObjectBody, memory: Memory, caller?: Caller): Promise<HeldBytes> {
  const reservation = await roomFor(object, memory, caller);
  try {
    return { bytes: new Uint8Array(await object.arrayBuffer()), memory: reservation };
  } catch (error) {
    reservation.release();
    throw error;
  }
}

async function roomFor({ size, body }: R2ObjectBody, memory: Memory, caller: Caller | undefined): Promise<Reservation> {
  let reservation: Reservation | undefined;
  try {
    reservation = await memory.take(size, { caller });
    await reservation.grow(size);
    return reservation;
  } catch (error) {
    reservation?.release();
    void body.cancel().catch(() => undefined);
    throw error;
  }
}
