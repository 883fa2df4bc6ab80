/** Rows that let others have the thread while they are read. */
import type { Breath } from "./breath.ts";
import type { Rows } from "./rows.ts";

/** Rows that cost more than this are gone past a few at a time. */
const SKIP_MS = 10;

/**
 * The same rows. Every reading declares beforehand what the one before it took: a view is handed on without a pause.
 * @param ms what all the rows take
 */
export function paced(rows: Rows, ms: number, breath: Breath): Rows {
  const { width, height, opaque } = rows;
  const rowMs = ms / height;
  let owedMs = 0;
  const settle = () => {
    const due = owedMs;
    owedMs = 0;
    return due > 0 ? breath.spend(due) : undefined;
  };
  return {
    width,
    height,
    opaque,
    async read(max) {
      await settle();
      const read = await rows.read(max);
      if (read) owedMs = (read.length / (width * 4)) * rowMs;
      return read;
    },
    ...(rows.skip && {
      async skip(count) {
        const most = Math.max(1, Math.floor(SKIP_MS / rowMs));
        for (let left = count; left > 0; left -= most) {
          const some = Math.min(left, most);
          await settle();
          await rows.skip?.(some);
          owedMs = some * rowMs;
        }
      },
    }),
    close: () => rows.close(),
  };
}
