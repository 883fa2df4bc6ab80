/** Uploads that the platform sends to one isolate, all at once, since each waits for its bytes. */
import { openAccount } from "../support/accounts.ts";
import type { Platform } from "./platform.ts";

const UPLOADS = 40;
const UPLOAD_BYTES = 4_000_000;
const STEP_BYTES = 500_000;

/** @returns their statuses */
export async function gathered(platform: Platform): Promise<number[]> {
  const { key } = await openAccount();
  const headers = { authorization: `Bearer ${key}`, "content-type": "image/png" };
  const answers = Array.from({ length: UPLOADS }, () =>
    platform.ask("/1.0/upload", { method: "POST", body: arriving(UPLOAD_BYTES), headers }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Bytes of which the next come when the last were read. */
function arriving(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull: async (controller) => {
      await Promise.resolve();
      controller.enqueue(new Uint8Array(Math.min(STEP_BYTES, left)));
      left -= STEP_BYTES;
      if (left <= 0) controller.close();
    },
  });
}
