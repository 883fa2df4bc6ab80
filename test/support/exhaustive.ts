/** Long tests: whole in the project `exhaustive`, a part of them in the project of every day. */
import { env } from "cloudflare:workers";

import { SHARE } from "./share.ts";

export const IS_WHOLE = env.EXHAUSTIVE === "true";

/** The first is what `npm test` takes, the second what `npm run test:exhaustive` takes. */
export const daily = <T>(part: T, whole: T): T => (IS_WHOLE ? whole : part);

/** Every day one of so many crossings, in the whole those of its share, which are not fewer: neighbors in a table take their turns. */
export function isForToday(turn: number, turns: number): boolean {
  if (!IS_WHOLE) return turn % turns === 0;
  const share = Math.min(SHARE, turns);
  return turn % share === share - 1;
}
