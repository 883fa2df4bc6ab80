/** The states of a notification, and the schedule of its attempts. */
import { expect, it } from "vitest";

import { MAX_SHOWN_ATTEMPTS } from "../../src/limits/webhook.ts";
import { afterAttempt, type Attempt, canMove, dueAt, isDelivery, STATUSES } from "../../src/webhook/record.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const fresh = { attempts: [], retries: 0 };

function attempt(code: number): Attempt {
  return { at: NOW, code, durationMs: 250 };
}

it("counts the delay from the end of processing", () => {
  expect(dueAt({ delaySeconds: 604_800 }, NOW)).toBe(Date.UTC(2026, 10, 27, 12));
});

it("delivers with every 2xx and with nothing else", () => {
  expect([200, 201, 204, 299].every(isDelivery)).toBe(true);
  expect([0, 100, 199, 300, 301, 304, 404, 500].some(isDelivery)).toBe(false);
});

it("ends with the first delivery", () => {
  expect(afterAttempt(fresh, attempt(204), [5])).toEqual({
    status: "delivered",
    code: 204,
    attempts: [attempt(204)],
    retries: 0,
    wakeAt: null,
  });
});

it("fails at once and is due again after each wait of the schedule, counted from the end of the attempt", () => {
  const first = afterAttempt(fresh, attempt(404), [5, 60]);
  expect(first).toMatchObject({ status: "failed", code: 404, retries: 1, wakeAt: NOW + 250 + 5_000 });
  const second = afterAttempt(first, attempt(0), [5, 60]);
  expect(second).toMatchObject({ status: "failed", code: 0, retries: 2, wakeAt: NOW + 250 + 60_000 });
  const third = afterAttempt(second, attempt(500), [5, 60]);
  expect(third).toMatchObject({ status: "failed", code: 500, retries: 2, wakeAt: null });
  expect(third.attempts.map(({ code }) => code)).toEqual([404, 0, 500]);
});

it("makes one attempt when the schedule is empty", () => {
  expect(afterAttempt(fresh, attempt(500), [])).toMatchObject({ status: "failed", wakeAt: null });
});

it("shows the latest attempts when there were very many", () => {
  const attempts = Array.from({ length: MAX_SHOWN_ATTEMPTS }, (_, index) => ({ at: index, code: 500, durationMs: 1 }));
  const outcome = afterAttempt({ attempts, retries: 4 }, attempt(503), []);
  expect(outcome.attempts).toHaveLength(MAX_SHOWN_ATTEMPTS);
  expect(outcome.attempts.at(-1)).toEqual(attempt(503));
});

it("never leaves delivered or failed but through a further attempt", () => {
  expect(STATUSES.filter((to) => canMove("delivered", to))).toEqual(["scheduled"]);
  expect(STATUSES.filter((to) => canMove("failed", to))).toEqual(["scheduled", "dispatched"]);
  expect(STATUSES.filter((to) => canMove("created", to))).toEqual(["scheduled", "dispatched"]);
});
