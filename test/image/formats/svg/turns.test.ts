/** Drawings that share the renderer while they take turns, and what is left of them there. */
import { describe, expect, it, vi } from "vitest";

import { ApiError } from "../../../../src/errors.ts";
import { svg } from "../../../../src/image/formats/svg.ts";
import type { Rows } from "../../../../src/image/pixels/rows.ts";
import { type TimeSlice, UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { nativeStatistics, trimNative } from "../../../../wasm/load.ts";
import androidRobot from "../../../fixtures/svg/Android_robot.svg";
import { interleaved } from "../../../support/interleaved.ts";
import { digest, drain } from "../../../support/rows.ts";

const robot = new Uint8Array(androidRobot);

function drawing(body: string): Uint8Array {
  return new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">${body}</svg>`);
}

const TOO_MANY = '<g opacity=".9"><path d="M0 0h900v900h-900z"/></g>'.repeat(3_000);
/** Takes more than a slice for each strip. */
const layers = drawing('<g opacity=".9"><path d="M0 0h40v30h-40z"/></g>'.repeat(5));

async function opened(bytes: Uint8Array, width: number, height: number, timeSlice: TimeSlice): Promise<Rows> {
  const facts = svg.read.factsOf(bytes);
  const box = { x: 0, y: 0, width: facts.width, height: facts.height };
  const frames = svg.read.open(bytes, facts, { box, width, height }, timeSlice)[Symbol.asyncIterator]();
  const first = await frames.next();
  if (first.done) throw new Error("no frame");
  return first.value.rows;
}

function renderer() {
  const found = nativeStatistics().find(({ name }) => name === "resvg");
  if (!found) throw new Error("nothing was drawn yet");
  return found;
}

/** Bytes that the renderer holds for drawings that were not closed. */
function heldBytes(): number {
  trimNative(0);
  return renderer().memoryBytes;
}

/** A time slice that ends the work the `count`th time. */
function endingAt(count: number): TimeSlice {
  let left = count;
  return {
    worked: () => 0,
    spend: () => (--left > 0 ? undefined : Promise.reject(new Error("nobody waits"))),
  };
}

describe("drawings that take turns", () => {
  it("are the same when one breaks its renderer in the midst of the others' work", async () => {
    const draw = (bytes: Uint8Array) => async (timeSlice: TimeSlice) =>
      digest((await drain(await opened(bytes, 2_000, 2_400, timeSlice))).data);
    const tooMuch = async (timeSlice: TimeSlice) => {
      const refused: unknown = await draw(drawing(TOO_MANY))(timeSlice).catch((error: unknown) => error);
      return refused instanceof ApiError ? refused.message : "drawn";
    };
    const jobs = [draw(robot), tooMuch, draw(robot)];
    const encode = vi.spyOn(TextEncoder.prototype, "encode");
    const parsed = () => encode.mock.calls.filter(([text]) => text?.startsWith("<svg")).length;
    const apart: string[] = [];
    for (const job of jobs) apart.push(await job(UNPAUSED));
    expect(apart[1]).toBe("The image takes too long to be decoded or drawn");
    const parsedApart = parsed();
    const { replaced } = renderer();
    expect(await interleaved(jobs)).toEqual(apart);
    expect(renderer().replaced).toBeGreaterThan(replaced);
    // Each has a renderer alone: nobody parses anew because of another.
    expect(parsed()).toBe(2 * parsedApart);
    encode.mockRestore();
  });

  it.each([
    ["they are read to the end", async () => drain(await opened(robot, 1_300, 1_500, UNPAUSED))],
    ["they are closed before anything is read", async () => (await opened(robot, 1_300, 1_500, UNPAUSED)).close()],
    [
      "they are closed in the middle",
      async () => {
        const rows = await opened(robot, 1_300, 1_500, UNPAUSED);
        await rows.read(9);
        rows.close();
        expect(await rows.read(9)).toBeNull();
        rows.close();
      },
    ],
    [
      "nobody waits for the first strip",
      () => expect(opened(layers, 1_300, 1_500, endingAt(2))).rejects.toThrow("waits"),
    ],
    [
      "nobody waits for the second strip",
      async () => {
        let waits = true;
        const spend = () => (waits ? undefined : Promise.reject(new Error("nobody waits")));
        const rows = await opened(layers, 1_300, 1_500, { worked: () => 0, spend });
        waits = false;
        await expect(drain(rows)).rejects.toThrow("waits");
      },
    ],
  ])("leave nothing in the renderer when %s", async (_name, work) => {
    await work();
    expect(heldBytes()).toBe(0);
  });
});
