/**
 * The life of notifications under every fault at once: processes are killed between any two steps, calls fail before
 * or after their effect, messages and alarms are lost or come twice, everything restarts. The steps, the statements
 * and the database are the real ones; the clock, the queue, the alarms and the receiver are virtual.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";

import { WEBHOOK_BODY_DAYS } from "../../src/limits/webhook.ts";
import { canMove, isDelivery, type Status } from "../../src/webhook/record.ts";
import { bucketInMemory, databaseOver } from "../support/embedded-storage.ts";
import type { Fault } from "../support/processes.ts";
import { RETRY_SECONDS } from "../support/webhook-ports.ts";
import { World } from "../support/webhook-world.ts";

type Model = Record<string, never>;
type Command = fc.AsyncCommand<Model, World>;

function command(name: string, ready: (world: World) => boolean, run: (world: World) => Promise<void>): Command {
  return {
    check: () => true,
    // Whether it applies depends on the world alone; one that does not apply does nothing.
    run: async (_model, world) => {
      if (ready(world)) {
        await run(world);
        world.trail.push(name);
      }
    },
    toString: () => name,
  };
}

const at = fc.nat({ max: 7 });
const codes = fc.array(fc.constantFrom(200, 204, 301, 404, 500, 0), { maxLength: 4 });
const fault = fc.constantFrom<Fault>("fails before", "fails after", "dies before", "dies after");

const order = fc.record({
  codes,
  direct: fc.boolean(),
  upload: fc.boolean(),
  delay: fc.constantFrom(0, 0, 3, 604_800),
  kind: fc.constantFrom("good", "good", "good", "bad", "busy", "broken"),
});
const orders = fc.array(order, { minLength: 1, maxLength: 3 });
const act = fc
  .tuple(
    fc.nat({ max: 100 }),
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary: fault, weight: 1 }),
  )
  .map(([n, kind]) =>
    command(
      `act ${n} ${kind ?? ""}`,
      () => true,
      (world) => world.act(n, kind),
    ),
  );
const twice = at.map((n) =>
  command(
    `message ${n} comes twice`,
    (world) => world.messages.length > 0,
    (world) => world.receive(n, true),
  ),
);
const lost = at.map((n) =>
  command(
    `message ${n} is lost`,
    (world) => world.messages.length > 0,
    async (world) => world.loseMessage(n),
  ),
);
const silent = at.map((n) =>
  command(
    `alarm ${n} is lost`,
    (world) => world.alarms.size > 0,
    async (world) => world.loseAlarm(n),
  ),
);
const late = at.map((n) =>
  command(
    `time of run ${n} is up`,
    (world) => world.calls.length > 0,
    (world) => world.hurry(n),
  ),
);
const early = at.map((n) =>
  command(
    `alarm ${n} comes early`,
    (world) => world.orders.size > 0,
    async (world) => world.disturb(n),
  ),
);
const time = fc.constantFrom(1, 1_000, 5_000, 30_001, 30_001, 3_600_000).map((ms) =>
  command(
    `${ms} ms pass`,
    () => true,
    (world) => world.pass(ms),
  ),
);

const commands = fc.commands(
  [
    ...Array.from({ length: 12 }, () => act),
    twice,
    lost,
    silent,
    early,
    late,
    time,
    time,
    fc.constant(
      command(
        "sweep",
        () => true,
        (world) => world.sweep(),
      ),
    ),
    fc.constant(
      command(
        "everything restarts",
        (world) => world.calls.length > 0,
        (world) => world.restart(),
      ),
    ),
  ],
  { maxCommands: 100, size: "max" },
);

const OBSERVE = [
  "CREATE TABLE moves (id TEXT, old TEXT, new TEXT, old_payload TEXT, new_payload TEXT)",
  `CREATE TRIGGER observe AFTER UPDATE ON webhooks
   BEGIN INSERT INTO moves VALUES (old.id, old.status, new.status, old.payload, new.payload); END`,
];

it(
  "attempts every notification, never again after a recorded 2xx, and finishes every record, whatever fails in between",
  { timeout: 3_600_000 },
  // Inside any Durable Object: its database is the deployed engine, and near enough to walk thousands of ways.
  () => runInDurableObject(env.COURIER.getByName("model"), (_, { storage }) => walk(storage)),
);

async function walk(storage: DurableObjectStorage): Promise<void> {
  const database = databaseOver(storage);
  for (const sql of [...env.TEST_MIGRATIONS.flatMap(({ queries }) => queries), ...OBSERVE]) await database.exec(sql);
  const trails = new Set<string>();
  const counts = { steps: 0, faults: 0, attempts: 0, jobs: 0 };
  const property = fc.asyncProperty(orders, commands, async (coming, script) => {
    const world = new World(database, bucketInMemory(), coming);
    await world.clear();
    await fc.asyncModelRun(() => ({ model: {}, real: world }), script);
    await world.settle();
    await check(world);
    await world.echo();
    await check(world);
    await checkMoves(database);
    trails.add(world.trail.join("\n"));
    counts.steps += world.trail.length;
    counts.faults += world.faults;
    counts.attempts += world.posts.length;
    counts.jobs += world.accepted.length;
  });
  await fc.assert(property, { numRuns: Number(env.MODEL_RUNS) });
  const { steps, faults, attempts, jobs } = counts;
  // oxlint-disable-next-line no-console -- how far the walk went is part of what the test shows
  console.log(
    `${trails.size} different interleavings: ${steps} steps, ${faults} faults, ${jobs} jobs, ${attempts} attempts`,
  );
}

function isFinal(status: Status): boolean {
  return status === "delivered" || status === "failed";
}

interface Move {
  readonly old: Status;
  readonly new: Status;
  readonly old_payload: string | null;
  readonly new_payload: string | null;
}

async function checkMoves(database: D1Database): Promise<void> {
  const { results } = await database.prepare("SELECT * FROM moves").all<Move>();
  for (const move of results) {
    expect(move.old === move.new || canMove(move.old, move.new), `${move.old} → ${move.new}`).toBe(true);
    const isDropped = move.new_payload === null && move.old === move.new && isFinal(move.new);
    if (move.old_payload !== null && !isDropped) expect(move.new_payload).toBe(move.old_payload);
  }
}

/** What must hold when everything has come to rest. */
async function check(world: World): Promise<void> {
  expect(world.violations).toEqual([]);
  const rows = new Map((await world.rows()).map((row) => [row.id, row]));
  for (const id of world.accepted) expect(rows.has(id), `${id} was accepted and is lost`).toBe(true);
  for (const [id, row] of rows) {
    const posts = world.posts.filter((post) => post.id === id);
    const attempts = JSON.parse(row.attempts) as { code: number }[];
    expect(["delivered", "failed"]).toContain(row.status);
    expect(posts.length, `${id} was never attempted`).toBeGreaterThan(0);
    expect(attempts.length).toBeGreaterThan(0);
    expect(attempts.length).toBeLessThanOrEqual(posts.length);
    expect(isDelivery(row.code)).toBe(row.status === "delivered");
    expect(attempts.at(-1)?.code).toBe(row.code);
    expect(attempts.filter(({ code }) => isDelivery(code)).length).toBe(row.status === "delivered" ? 1 : 0);
    if (row.status === "failed") expect(attempts.length).toBe(RETRY_SECONDS.length + 1);
    // A notification that waited for days lets the body of an earlier one grow old.
    const isOld = world.now - row.updated_at > WEBHOOK_BODY_DAYS * 86_400_000;
    const body = row.payload ?? (isOld ? posts[0]?.body : undefined) ?? "{}";
    for (const post of posts) expect(post.body).toBe(body);
    const charged = world.charges.filter((charge) => charge === id).length;
    expect(charged).toBeLessThanOrEqual((JSON.parse(body) as { success: boolean }).success ? 1 : 0);
  }
  const jobs = await world.db
    .prepare("SELECT COUNT(*) AS count FROM webhooks WHERE job IS NOT NULL")
    .first<number>("count");
  expect(jobs).toBe(0);
  await world.pass(26 * 3_600_000);
  await world.sweep();
  while (world.calls.length > 0) await world.step(0);
  expect((await world.bucket.list()).objects.length, "uploaded bytes left behind").toBe(0);
}
