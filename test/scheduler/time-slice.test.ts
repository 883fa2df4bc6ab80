/** The thread that jobs share: stretches, turns, and an end when nobody waits any more. */
import { describe, expect, it } from "vitest";

import { type TimeSlice, Thread } from "../../src/scheduler/time-slice.ts";

/** A thread whose clock stands still, as that of a deployed isolate does, and moves where it is told to. */
function stillThread() {
  const clock = { now: 0 };
  const thread = new Thread(
    () => clock.now,
    () => new Promise((resolve) => setTimeout(resolve, 0)),
  );
  return { clock, thread };
}

describe("the thread", () => {
  it("lets work go on as long as it declares little", async () => {
    const { thread } = stillThread();
    const pauses = await thread.run((timeSlice) => Array.from({ length: 10 }, () => timeSlice.spend(1)));
    expect(pauses).toEqual(Array.from({ length: 10 }));
  });

  it("alternates the stretches of two jobs, though no clock moves", async () => {
    const { thread } = stillThread();
    const seen: string[] = [];
    const work = (name: string) => async (timeSlice: TimeSlice) => {
      for (let step = 0; step < 3; step++) {
        seen.push(`${name}${step}`);
        await timeSlice.spend(1_000);
      }
    };
    await Promise.all([thread.run(work("a")), thread.run(work("b"))]);
    expect(seen).toEqual(["a0", "b0", "a1", "b1", "a2", "b2"]);
  });

  it("pauses by the clock where work takes longer than it declares", async () => {
    const { clock, thread } = stillThread();
    await thread.run((timeSlice) => {
      expect(timeSlice.spend(0)).toBeUndefined();
      clock.now += 1_000;
      const pause = timeSlice.spend(0);
      expect(pause).toBeInstanceOf(Promise);
      return pause;
    });
  });

  it("is never in two hands: what runs between two pauses is not interrupted", async () => {
    const { thread } = stillThread();
    let running = 0;
    const work = async (timeSlice: TimeSlice) => {
      for (let step = 0; step < 5; step++) {
        expect(++running).toBe(1);
        await Promise.resolve();
        running--;
        await timeSlice.spend(1_000);
      }
    };
    await Promise.all(Array.from({ length: 4 }, () => thread.run(work)));
  });

  it("counts the time of a job without its pauses", async () => {
    const { clock, thread } = stillThread();
    const slow = thread.run(async (timeSlice) => {
      clock.now += 5;
      await timeSlice.spend(1_000);
      clock.now += 7;
      return timeSlice.worked();
    });
    const other = thread.run(() => void (clock.now += 100));
    expect(await slow).toBe(12);
    await other;
  });

  it("counts what was declared where the clock stands still", async () => {
    const { thread } = stillThread();
    const worked = await thread.run(async (timeSlice) => {
      await timeSlice.spend(30);
      await timeSlice.spend(30);
      await timeSlice.spend(5);
      return timeSlice.worked();
    });
    expect(worked).toBe(65);
  });

  it("ends work in its next pause when its caller has gone, and goes on with others", async () => {
    const { thread } = stillThread();
    const caller = new AbortController();
    let steps = 0;
    const abandoned = thread.run(async (timeSlice) => {
      for (;;) {
        steps++;
        if (steps === 2) caller.abort(new Error("gone"));
        await timeSlice.spend(1_000);
      }
    }, caller.signal);
    await expect(abandoned).rejects.toThrow("gone");
    expect(steps).toBe(2);
    expect(await thread.run(() => "next")).toBe("next");
  });

  it("does not start work whose caller has gone, nor keeps the thread after an error", async () => {
    const { thread } = stillThread();
    await expect(thread.run(() => "never", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    await expect(thread.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await thread.run(() => "next")).toBe("next");
  });

  it("is not given up twice at a time: work that shares a time slice is refused, and others go on", async () => {
    const { thread } = stillThread();
    const shared = thread.run((timeSlice) => Promise.all([timeSlice.spend(1_000), timeSlice.spend(1_000)]));
    await expect(shared).rejects.toThrow("share one time slice");
    expect(await thread.run(() => "next")).toBe("next");
  });
});
