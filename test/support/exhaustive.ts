/** Long tests: whole in the project `exhaustive`, a part of them in the project of every day. */
import { env } from "cloudflare:workers";

import { isShared } from "./share.ts";

export const IS_WHOLE = env.EXHAUSTIVE === "true";

/** The first is what `npm test` takes, the second what `npm run test:exhaustive` takes. */
export const daily = <T>(part: T, whole: T): T => (IS_WHOLE ? whole : part);

/** Every day one of so many crossings, in the whole those of its share: neighbors in a table take their turns. */
export const isForToday = (turn: number, turns: number): boolean => (IS_WHOLE ? isShared(turn) : turn % turns === 0);
