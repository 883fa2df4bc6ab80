/** A look of a batch at itself: what it may do, the next part of its list, and whom it tells of objects. */
import { ApiError } from "../errors.ts";
import { LISTS_OF_LOOK } from "../limits/batch.ts";
import { LIST_OBJECTS } from "../limits/stores.ts";
import type { Listing, ListAsk } from "../storage/provider.ts";
import { StoreError } from "../storage/session.ts";
import type { Machine } from "./machine.ts";
import { isAbout } from "./names.ts";
import { type Progress, type Trouble, troubleOf } from "./rules.ts";

export interface AttendPorts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Why nothing more may be done in the batch's name; undefined: it may go on. */
  readonly whyEnded: () => Promise<Trouble | undefined>;
  /** A part of the list, and where one begins that leaves out names up to this one. */
  readonly list: (ask: ListAsk) => Promise<Listing>;
  readonly cursorAfter: (key: string) => Promise<string | undefined>;
  /** Tells the account what has become of the batch; gives how many objects it may work on at once. Undefined: it has none. */
  readonly report: (told: {
    readonly progress: Progress;
    readonly inFlight: number;
    readonly wants: boolean;
  }) => Promise<number | undefined>;
  /** Sends a message for each object. */
  readonly tell: (objects: readonly number[]) => Promise<void>;
  /** Tells the operator of a fault that the batch survives. */
  readonly fault: (error: unknown) => void;
}

/**
 * Does what is due, in steps each of which may be the last.
 * @returns whether there is more to be done at once
 */
export async function attend(machine: Machine, ports: AttendPorts): Promise<boolean> {
  await checkAuthority(machine, ports);
  await grant(machine, ports);
  let isMore = false;
  for (let lists = 0; machine.wantsList && !isMore; lists += 1) {
    if (machine.holdUntil > ports.now()) break;
    // oxlint-disable-next-line no-await-in-loop -- each part begins where the one before ends
    if (!(await readPart(machine, ports))) break;
    await handOut(machine, ports);
    isMore = lists + 1 >= LISTS_OF_LOOK;
  }
  if (machine.lacksSlots) await grant(machine, ports);
  await handOut(machine, ports);
  if (!machine.isAtWork) await grant(machine, ports);
  return isMore && machine.isAtWork;
}

/** A batch that waits asks for nothing, and is asked when it is told of something. */
async function checkAuthority(machine: Machine, ports: AttendPorts): Promise<void> {
  if (!machine.isAtWork || machine.isWaiting) return;
  const trouble = await ports.whyEnded();
  if (trouble) machine.pause(ports.now(), trouble);
}

async function grant(machine: Machine, ports: AttendPorts): Promise<void> {
  const { progress, inFlight, wantsSlots: wants, news } = machine;
  if (!progress) return;
  const slots = await ports.report({ progress, inFlight, wants });
  if (slots === undefined) {
    // Its beginning was refused after all, or its account is gone: nobody could see it, or stop it.
    machine.cancel(ports.now());
    machine.noteTold(machine.news);
  } else {
    machine.grant(slots);
    machine.noteTold(news);
  }
}

/** Hands objects out, as many as may be worked on. */
export async function handOut(machine: Machine, ports: Pick<AttendPorts, "now" | "tell" | "fault">): Promise<void> {
  const objects = machine.handOut(ports.now());
  if (objects.length === 0) return;
  try {
    await ports.tell(objects);
  } catch (error) {
    machine.takeBack(objects);
    ports.fault(error);
  }
}

/** @returns false when the list cannot be read just now, or at all */
async function readPart(machine: Machine, ports: AttendPorts): Promise<boolean> {
  const rules = machine.batch?.rules;
  if (!rules) return false;
  const from = machine.listFrom;
  const { prefix, after } = rules.source;
  try {
    const cursor = from ?? (after === undefined ? undefined : await ports.cursorAfter(after));
    const listing = await ports.list({ prefix, limit: LIST_OBJECTS, ...(cursor !== undefined && { cursor }) });
    const objects = listing.objects.filter(({ key }) => isAbout(rules, key));
    const others = listing.objects.length - objects.length;
    machine.takePart(from, { objects, others, cursor: listing.cursor }, ports.now());
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.isBusy) machine.slowDown(error.retrySeconds, ports.now());
    else if (error instanceof ApiError && error.status < 500) {
      machine.fail(ports.now(), troubleOf(error.status, error.message));
    } else {
      ports.fault(error);
      machine.slowDown(undefined, ports.now());
    }
    return false;
  }
}
