/** Telling a meter what became of requests: the batches of an isolate, and those that others have put on the board. */
import type { Board, Posted, Sheet } from "./board.ts";
import type { RepeatableAsk, TakenWithReceipt, Telling, Told } from "./metered.ts";

/** How often a batch is told whose call fails, and the pause before the first repetition. */
const TELLINGS = 3;
const PAUSE_MS = 100;
/** For how long a batch may be told again: meters remember it for longer. */
const REPEATED_MS = 45_000;

/** What of the meters is called here. */
interface Meters {
  readonly getByName: (meter: string) => {
    readonly take: (ask: RepeatableAsk) => Promise<TakenWithReceipt>;
    readonly tell: (telling: Telling) => Promise<Told>;
  };
}

/** What an isolate tells its outcomes to. */
export interface Reach {
  readonly meters: Meters;
  readonly board: Board;
}

/** Whether a batch may be told still: meters remember it for longer, whichever of two clocks is ahead. */
export function isRepeatable({ at }: Posted, now: number): boolean {
  return Math.abs(now - at) <= REPEATED_MS;
}

/** Tells a meter what lies on the board. @throws what the last call of the meter threw */
export async function tellPosted(reach: Reach, meter: string): Promise<void> {
  const sheet = await reach.board.read(meter);
  if (sheet.batches.length > 0) await toldWithOthers(reach, meter, sheet, []);
}

/**
 * Tells a meter some batches and those that lie on the board, and takes them down from there.
 * @returns the names of all
 * @throws what the last call of the meter threw
 */
export async function toldWithOthers(
  { meters, board }: Reach,
  meter: string,
  { batches, written }: Sheet,
  own: readonly Posted[],
  ask?: RepeatableAsk,
): Promise<{ told: Told; names: ReadonlySet<string> }> {
  const [now, known] = [Date.now(), new Set([...own.map(({ id }) => id), ...written])];
  const others = batches.filter((batch) => !known.has(batch.id) && isRepeatable(batch, now));
  const all = [...own, ...others];
  const names = new Set(all.map(({ id }) => id));
  const told = await toldTo(meters, meter, { batches: all, ...(ask && { ask }) });
  if (batches.length > 0) {
    // Others may have posted meanwhile.
    const sheet = await board.read(meter);
    const left = sheet.batches.filter((batch) => !names.has(batch.id) && isRepeatable(batch, now));
    await board.write(meter, { batches: left, written: [...sheet.written, ...names] });
  }
  return { told, names };
}

/** @throws what the last call of the meter threw */
async function toldTo(meters: Meters, meter: string, telling: Telling): Promise<Told> {
  for (let time = 1; ; time += 1) {
    try {
      return await meters.getByName(meter).tell(telling);
    } catch (cause) {
      if (time >= TELLINGS) throw cause;
      await scheduler.wait(PAUSE_MS * time);
    }
  }
}
