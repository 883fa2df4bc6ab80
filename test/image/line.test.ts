/** The line in front of the budget: whose turn it is. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Line } from "../../src/image/line.ts";

/** Joins places named by account and number, as `a1`. */
function join(line: Line, ...names: readonly string[]): void {
  for (const name of names)
    line.join({ account: name.charAt(0), bytes: Number(name.slice(1)), start: () => undefined });
}

/** Takes out the first of the line, by its name. */
function next(line: Line): string | undefined {
  const { first } = line;
  line.leave();
  return first && `${first.account}${first.bytes}`;
}

const rest = (line: Line) => Array.from({ length: line.length }, () => next(line));

describe("the line", () => {
  it("is first come, first served for one account", () => {
    const line = new Line();
    join(line, "a1", "a2", "a3");
    expect(rest(line)).toEqual(["a1", "a2", "a3"]);
  });

  it("lets accounts take turns, however much one of them has brought before", () => {
    const line = new Line();
    join(line, "a1", "a2", "a3", "b1", "b2", "c1");
    expect(rest(line)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("lets nobody get before the first, whoever comes", () => {
    const line = new Line();
    join(line, "a1", "a2");
    next(line);
    join(line, "b1", "c1", "d1");
    expect(next(line)).toBe("a2");
  });

  it("lets an account that comes again and again pass others no more often than once a round", () => {
    const line = new Line();
    join(line, "a1", "a2", "a3", "a4");
    const served: (string | undefined)[] = [];
    for (let number = 1; number < 6; number++) {
      join(line, `b${number}`);
      served.push(next(line));
    }
    expect(served).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  it("serves everybody after a bounded number of others, whatever comes meanwhile", () => {
    const accounts = ["a", "b", "c"];
    const moves = fc.array(fc.oneof(fc.constantFrom(...accounts), fc.constant("leave")), { maxLength: 60 });
    fc.assert(
      fc.property(moves, (steps) => {
        const line = new Line();
        join(line, "x1", "x2", "x3");
        let others = 0;
        const serve = () => {
          const waits = line.countOf("x") > 0;
          if (!next(line)?.startsWith("x") && waits) others++;
        };
        for (const step of steps) {
          if (step === "leave") serve();
          else join(line, `${step}1`);
        }
        while (line.countOf("x") > 0) serve();
        // Its second place lets every other account pass once, and its third once more.
        expect(others).toBeLessThanOrEqual(2 * accounts.length);
      }),
    );
  });
});
