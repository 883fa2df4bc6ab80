/** What a simulation of webhooks counts. */

const HOUR_MS = 3_600_000;

export class Tally {
  accepted = 0;
  finished = 0;
  failed = 0;
  /** Messages sent, by the sweep among others. */
  messages = 0;
  handedOut = 0;
  kills = 0;
  /** Runs that came to an end of the work, and those of them that found it done already. */
  runs = 0;
  runsAgain = 0;
  /** Work on a job while somebody else was at it, and of a suspect beside others: never. */
  together = 0;
  notAlone = 0;
  /** Endings as a failure without being at fault: never. */
  innocent = 0;
  attempts = 0;
  delivered = 0;
  deliveredAgain = 0;
  alarms = 0;
  wakes = 0;
  statements = 0;
  peakStatements = 0;
  /** Seconds in which there was any statement. */
  busySeconds = 0;
  /** From acceptance to the first attempt, and to the end; milliseconds. */
  readonly firstMs: number[] = [];
  slowestMs = 0;
  private second = 0;
  private inSecond = 0;
  private readonly acceptedAt = new Map<string, number>();
  /** Jobs that are not finished: worked on, notified of, notified of with success. */
  private readonly done = new Set<string>();
  private readonly tried = new Set<string>();
  private readonly received = new Set<string>();
  /** Those that are. */
  private readonly over = new Set<string>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  accept(id: string): void {
    this.accepted += 1;
    this.acceptedAt.set(id, this.now());
  }

  statement(): void {
    const second = Math.floor(this.now() / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.inSecond = 0;
      this.busySeconds += 1;
    }
    this.statements += 1;
    this.inSecond += 1;
    this.peakStatements = Math.max(this.peakStatements, this.inSecond);
  }

  work(id: string): void {
    this.runs += 1;
    if (this.done.has(id) || this.over.has(id)) this.runsAgain += 1;
    this.done.add(id);
  }

  attempt(id: string, isDelivered: boolean): void {
    this.attempts += 1;
    if (!this.tried.has(id) && !this.over.has(id))
      this.firstMs.push(this.now() - (this.acceptedAt.get(id) ?? Number.NaN));
    this.tried.add(id);
    if (!isDelivered) return;
    if (this.received.has(id) || this.over.has(id)) this.deliveredAgain += 1;
    else this.delivered += 1;
    this.received.add(id);
  }

  finish(id: string, isDelivered: boolean): void {
    this.finished += 1;
    if (!isDelivered) this.failed += 1;
    this.slowestMs = Math.max(this.slowestMs, this.now() - (this.acceptedAt.get(id) ?? Number.NaN));
    // With a million jobs, what is known of each should be little.
    this.over.add(id);
    for (const known of [this.acceptedAt, this.done, this.tried, this.received]) known.delete(id);
  }

  /** Every number, as the rows of a table. */
  rows(): readonly (readonly [string, string])[] {
    const first = this.firstMs.toSorted((a, b) => a - b);
    const share = (part: number) => minutes(first[Math.min(first.length - 1, Math.floor(first.length * part))] ?? 0);
    const count = (value: number) => value.toLocaleString("en");
    return [
      ["jobs accepted", count(this.accepted)],
      ["lost", count(this.accepted - this.finished)],
      ["processes killed", count(this.kills)],
      ["work done, of it again", `${count(this.runs)}, ${count(this.runsAgain)}`],
      ["at the same time by two", count(this.together)],
      ["suspects beside others", count(this.notAlone)],
      ["failed though not at fault", count(this.innocent)],
      ["attempts to notify", count(this.attempts)],
      ["delivered, of it again", `${count(this.delivered)}, ${count(this.deliveredAgain)}`],
      ["given up after all attempts", count(this.failed)],
      ["messages, of them by the sweep", `${count(this.messages)}, ${count(this.handedOut)}`],
      ["calls of couriers, alarms", `${count(this.wakes)}, ${count(this.alarms)}`],
      ["statements, each job", `${count(this.statements)}, ${(this.statements / this.accepted).toFixed(1)}`],
      [
        "statements a second: mean, peak",
        `${count(Math.round(this.statements / this.busySeconds))}, ${count(this.peakStatements)}`,
      ],
      ["to the first attempt: p50, p99, longest", `${share(0.5)}, ${share(0.99)}, ${share(1)}`],
      ["to the end: longest", minutes(this.slowestMs)],
    ];
  }
}

function minutes(milliseconds: number): string {
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return milliseconds < 2 * HOUR_MS
    ? `${(milliseconds / 60_000).toFixed(1)} min`
    : `${(milliseconds / HOUR_MS).toFixed(1)} h`;
}
