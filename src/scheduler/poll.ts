/**
 * Waiting for what another request brings about. Whoever waits looks for it by timers of its own. To be woken by a promise
 * that another request resolves would be quicker, but of requests that are woken so the runtime forgets the timers that they
 * set next, one in some thousands of times, and the request never ends (seen in workerd 1.20261102).
 */

/** Resolves after so many milliseconds. */
export type Pause = (milliseconds: number) => Promise<void>;

interface PollOptions {
  /** Milliseconds until the next look. */
  readonly everyMs: () => number;
  /** How time passes; by a timer, unless told. */
  readonly pause?: Pause | undefined;
  /** Called at the beginning of each event in which somebody looks. */
  readonly onEvent?: (() => void) | undefined;
}

/** Resolves once something is so. The first look comes after a pause. */
export async function pollUntil(isSo: () => boolean, options: PollOptions): Promise<void> {
  const { everyMs, pause = passed, onEvent } = options;
  do {
    await pause(everyMs());
    onEvent?.();
  } while (!isSo());
}

/** The time of a timer of the invocation that calls this. */
function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}
