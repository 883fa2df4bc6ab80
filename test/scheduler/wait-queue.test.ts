/** Those who wait, by accounts in turn, and those who hold memory: the living are told from those whose invocation was ended. */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Leases } from "../../src/scheduler/leases.ts";
import { type Standing, WaitQueue } from "../../src/scheduler/wait-queue.ts";

/** The longest time until somebody who was called finds that out. */
const A_LOOK_MS = 16;

let clock = 0;
const now = () => clock;

/** Lets so much time pass for everybody whose timers run. */
async function pass(milliseconds: number): Promise<void> {
  clock += milliseconds;
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** Does something whose invocation is ended afterward: its timers never fire. */
function ended<Result>(work: () => Result): Result {
  // Not spies: those would be taken back once more when the timers are real again, and leave the faked ones behind.
  const { setTimeout, setInterval } = globalThis;
  const never = () => 0 as never;
  Object.assign(globalThis, { setTimeout: never, setInterval: never });
  try {
    return work();
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval });
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a line", () => {
  it("serves in the order of arrival, each when it is called", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined });
    let isFree = false;
    const served: string[] = [];
    const claim = ({ first }: Standing) => first && isFree && !(isFree = false);
    for (const name of ["a", "b", "c"]) void line.wait(claim).then(() => served.push(name));
    expect(line.length).toBe(3);
    for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
      isFree = true;
      line.call();
      await pass(A_LOOK_MS);
      expect(served).toEqual(expected);
    }
    expect(line.length).toBe(0);
  });

  it("lets nobody be woken by another request, which the runtime does not stand: each goes on by a timer of its own", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined });
    let isFree = false;
    let isServed = false;
    void line.wait(({ first }) => first && isFree).then(() => (isServed = true));
    isFree = true;
    line.call();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(isServed).toBe(false);
    await pass(1);
    expect(isServed).toBe(true);
  });

  it("lets those who are called together come in their order, but waits for nobody who was ended", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined, everybody: true });
    const came: string[] = [];
    const claim = (name: string) => () => came.push(name) > 0 && isFree;
    let isFree = false;
    void ended(() => line.wait(() => false));
    for (const name of ["a", "b", "c"]) void line.wait(claim(name));
    came.length = 0;
    isFree = true;
    line.call();
    await pass(2 * A_LOOK_MS);
    expect(came).toEqual(["a", "b", "c"]);
  });

  it("has a newcomer wait for those who were called before it came", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined, everybody: true });
    const served: string[] = [];
    let isFree = false;
    const claim = () => isFree && !(isFree = false);
    void line.wait(claim).then(() => served.push("first"));
    await pass(5_000);
    isFree = true;
    line.call();
    void line.wait(claim).then(() => served.push("newcomer"));
    await pass(A_LOOK_MS);
    expect(served).toEqual(["first"]);
    isFree = true;
    line.call();
    await pass(A_LOOK_MS);
    expect(served).toEqual(["first", "newcomer"]);
  });

  it("lets what goes on before what has not begun, whoever else waits", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined });
    const served: string[] = [];
    let isFree = false;
    const claim = ({ first }: Standing) => first && isFree && !(isFree = false);
    for (const name of ["a", "b"]) void line.wait(claim, { account: name }).then(() => served.push(name));
    void line.wait(claim, { account: "a", goesOn: true }).then(() => served.push("goes on"));
    for (let turn = 0; turn < 3; turn++) {
      isFree = true;
      line.call();
      await pass(A_LOOK_MS);
    }
    expect(served).toEqual(["goes on", "a", "b"]);
  });

  it("goes on past somebody who does not come any more", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined });
    void ended(() => line.wait(() => false));
    let isServed = false;
    void line.wait(({ first }) => first).then(() => (isServed = true));
    await pass(2_000);
    expect(isServed).toBe(false);
    for (let second = 0; second < 5; second++) await pass(1_000);
    expect(isServed).toBe(true);
    expect(line.length).toBe(0);
  });

  it("keeps the place of somebody who was only late", async () => {
    const line = new WaitQueue({ now, onEvent: () => undefined });
    const served: string[] = [];
    let isFree = false;
    const claim = ({ first }: Standing) => first && isFree;
    void line.wait(claim).then(() => served.push("first"));
    void line.wait(claim).then(() => served.push("second"));
    clock += 60_000;
    expect(line.length).toBe(0);
    await pass(1_000);
    expect(line.length).toBe(2);
    isFree = true;
    await pass(1_000);
    expect(served).toEqual(["first", "second"]);
  });
});

/** A line in which nobody goes until `next` says so. Those who wait are named by account and number, as `a1`. */
class Queue {
  readonly line = new WaitQueue({
    now,
    onEvent: () => undefined,
    pause: () => new Promise((look) => void this.looks.push(look)),
  });
  private looks: (() => void)[] = [];
  private readonly served: string[] = [];
  private isFree = false;

  join(...names: readonly string[]): void {
    const claim = ({ first }: Standing) => first && this.isFree && !(this.isFree = false);
    for (const name of names) {
      void this.line.wait(claim, { account: name.charAt(0) }).then(() => this.served.push(name));
    }
  }

  /** Lets the first go, and says who that was. */
  async next(): Promise<string | undefined> {
    const before = this.served.length;
    this.isFree = true;
    this.line.call();
    const { looks } = this;
    this.looks = [];
    for (const look of looks) look();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    this.isFree = false;
    return this.served[before];
  }

  async rest(): Promise<(string | undefined)[]> {
    const names: (string | undefined)[] = [];
    while (this.line.length > 0) names.push(await this.next());
    return names;
  }
}

describe("accounts in a line", () => {
  it("take turns, however much one of them has brought before", async () => {
    const queue = new Queue();
    queue.join("a1", "a2", "a3", "b1", "b2", "c1");
    expect(await queue.rest()).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("let nobody get before the first, whoever comes", async () => {
    const queue = new Queue();
    queue.join("a1", "a2");
    await queue.next();
    queue.join("b1", "c1", "d1");
    expect(await queue.next()).toBe("a2");
  });

  it("pass others no more often than once a round, however often they come", async () => {
    const queue = new Queue();
    queue.join("a1", "a2", "a3", "a4");
    const served: (string | undefined)[] = [];
    for (let number = 1; number < 6; number++) {
      queue.join(`b${number}`);
      served.push(await queue.next());
    }
    expect(served).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it("go after a bounded number of others, whatever comes meanwhile", async () => {
    const accounts = ["a", "b", "c"];
    const moves = fc.array(fc.oneof(fc.constantFrom(...accounts), fc.constant("leave")), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const queue = new Queue();
        queue.join("x1", "x2", "x3");
        const left = new Set(["x1", "x2", "x3"]);
        let others = 0;
        const serve = async () => {
          const name = (await queue.next()) ?? "";
          if (!left.delete(name) && left.size > 0) others++;
        };
        for (const step of steps) {
          if (step === "leave") await serve();
          else queue.join(`${step}1`);
        }
        while (left.size > 0) await serve();
        await queue.rest();
        // Its second place lets every other account pass once, and its third once more.
        expect(others).toBeLessThanOrEqual(2 * accounts.length);
      }),
    );
  });
});

describe("holders", () => {
  it("are counted while they live, and those that were ended no more after half a minute", async () => {
    const holders = new Leases({ now });
    const living = holders.join(5);
    ended(() => holders.join(7));
    await pass(20_000);
    expect(holders.sum).toBe(12);
    for (let second = 0; second < 15; second++) await pass(1_000);
    expect(holders.sum).toBe(5);
    living.leave();
    await pass(2_000);
    expect(holders.sum).toBe(0);
  });

  it("that were forgotten are counted again when they are heard of", async () => {
    const holders = new Leases({ now });
    const living = holders.join(5);
    holders.renew();
    expect(holders.sum).toBe(0);
    await pass(1_000);
    expect(holders.sum).toBe(5);
    living.leave();
    living.beat();
    expect(holders.sum).toBe(0);
  });
});
