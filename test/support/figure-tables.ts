/** The tables of costs, computed from the unit figures, and that of the platform's rules. */
import {
  ARRIVALS,
  billOf,
  DELIVERY,
  dollarsBesideCpu,
  dollarsPerMillion,
  FRONT,
  INCLUDED,
  type Metered,
  meteredAs,
  MONTHS,
  PIECE_NAMES,
  PLAN_DOLLARS,
  platformOf,
  ROUTES,
  UPLOADS,
  viewOf,
  type Work,
} from "../../src/docs/figures.ts";
import { type Piece, PIECES, PRICES } from "../../src/limits/prices.ts";
import { RULES } from "../platform/rules.ts";
import { table, type Tables } from "./markdown-tables.ts";

/** What one and what many of a piece are called. */
const NAMES: Readonly<Record<Piece, readonly [one: string, many: string]>> = {
  requests: ["request", "requests"],
  cpuMs: ["ms", "ms"],
  writes: ["write", "writes"],
  reads: ["read", "reads"],
  calls: ["call", "calls"],
  objectRows: ["row of objects", "rows of objects"],
  gbSeconds: ["GB-s", "GB-s"],
  rows: ["row of D1", "rows of D1"],
  operations: ["operation of the queue", "operations of the queue"],
  events: ["event", "events"],
};

export const FIGURE_TABLES: Tables = {
  prices: () =>
    table(
      ["A million of", "Costs", "The plan includes"],
      PIECES.map((piece) => [PIECE_NAMES[piece], dollars(PRICES[piece]), millions(INCLUDED[piece])]),
    ),
  bills,
  blocks: () =>
    table(
      [
        "An account's pictures come",
        "Calls of its meter each",
        "Rows each",
        "A million as bytes alone, beside CPU",
        "The platform's month",
      ],
      [
        meteredRow("minutes apart", ROUTES.uploadBytesAlone, "more accounts"),
        ...ARRIVALS.map((arrival) => meteredRow(arrival.says, arrival, dollars(billOf(platformOf(arrival)).total))),
        meteredRow("in runs of twenty, minutes apart", ofOne(ROUTES.runOfBytesAlone), "more accounts"),
      ],
    ),
  views: () =>
    table(
      ["Views of a variant", "A million views cost"],
      [1_000, 100, 30, 16, 5, 2].map((views) => [count(views), dollars(dollarsPerMillion(viewOf(views)))]),
    ),
  "platform-rules": () =>
    table(
      ["Rule", "What the platform does", "Where it says so", "Read"],
      RULES.map(({ name, says, source, read }) => [name, says, `[${new URL(source).hostname}](${source})`, read]),
    ),
  front: () =>
    table(
      ["Views of a variant in a month", "Found, drafts and `Accept`", "Found, formats named, `refine: false`"],
      FRONT.map(({ views, missed, missedNamed }) => [count(views), ofAHundred(missed), ofAHundred(missedNamed)]),
    ),
  costs: () => costs(UPLOADS),
  "delivery-costs": () => costs(Object.values(DELIVERY)),
  alternatives,
};

const ofAHundred = (missed: number) => `${(100 - missed).toFixed(1)} of 100`;

const ofOne = ({ calls, objectRows, requests }: Omit<Work, "name">): Metered => ({
  calls: calls / requests,
  objectRows: objectRows / requests,
});

function meteredRow(says: string, metered: Metered, month: string): string[] {
  const { calls, objectRows } = metered;
  const alone = dollarsBesideCpu({ name: "", ...meteredAs(ROUTES.uploadBytesAlone, metered) });
  return [says, calls.toFixed(2), objectRows.toFixed(2), dollars(alone), month];
}

function costs(works: readonly Work[]): string {
  return table(
    ["A million of", "CPU each", "CPU", "Everything else", "Together"],
    works.map((work) => [
      work.name,
      work.cpuMs === 0 ? "none" : `${count(work.cpuMs)} ms`,
      work.cpuMs === 0 ? "none" : dollars(work.cpuMs * PRICES.cpuMs),
      `${partsOf(work)}: ${dollars(dollarsBesideCpu(work))}`,
      dollars(dollarsPerMillion(work)),
    ]),
  );
}

/** What a picture takes besides processor time, in words. */
function partsOf(work: Work): string {
  return PIECES.filter((piece) => piece !== "cpuMs" && work[piece] > 0)
    .map((piece) => `${count(work[piece])} ${NAMES[piece][work[piece] === 1 ? 0 : 1]}`)
    .join(", ");
}

/** A month of each deployment by what it is billed for. */
function bills(): string {
  const all = MONTHS.map(billOf);
  const row = (name: string, of: (bill: ReturnType<typeof billOf>) => number) => [
    name,
    ...all.map((bill) => dollars(of(bill))),
  ];
  return table(
    ["Dollars a month", ...MONTHS.map(({ name }) => name)],
    [
      row("The plan", () => PLAN_DOLLARS),
      ...PIECES.map((piece) => row(PIECE_NAMES[piece], (bill) => bill[piece])),
      row("bytes kept in R2", ({ storage }) => storage),
      row("**Together**", ({ total }) => total),
    ],
  );
}

/** The same table stands in the README, whose links go through `src/docs`. */
function alternatives(): string {
  const uploads = UPLOADS.map((work) => dollarsPerMillion(work));
  const hits = [DELIVERY.frontHit, DELIVERY.edgeHit, DELIVERY.storedHit].map((work) => dollarsPerMillion(work));
  return table(
    ["Program or service", "Runs", "Asked by", "Quality", "Costs for a million images"],
    [
      [
        "**Darkroom**",
        "on your Cloudflare account, no server",
        "upload or URL in JSON, or an address; answer, bytes, notification, or your own store",
        "searched for until a perceptual score is reached; or a number",
        `$${Math.round(Math.min(...uploads))} to $${Math.round(Math.max(...uploads))}; ` +
          `a hit by address ${dollars(Math.min(...hits))} to ${dollars(Math.max(...hits))}`,
      ],
      ["[sharp](https://sharp.pixelplumbing.com)", "in your Node process", "code", "a number", "your servers"],
      [
        "[imgproxy](https://imgproxy.net), [thumbor](https://www.thumbor.org)",
        "on servers or containers that you run",
        "URLs that pages name directly",
        "a number; imgproxy Pro can search",
        "your servers",
      ],
      [
        "[Cloudflare Images](https://developers.cloudflare.com/images/)",
        "managed",
        "URLs that pages name directly, or a binding",
        "a number or `high` to `low`",
        "$500, each transformation counted once a month",
      ],
      [
        "Hosted image APIs and image CDNs",
        "managed",
        "URLs or an API like this one",
        "mostly searched for",
        "by plan and traffic",
      ],
    ],
  );
}

const dollars = (amount: number) => `$${amount.toFixed(2)}`;
const count = (amount: number) => amount.toLocaleString("en-US");
const millions = (amount: number) => (amount < 1e6 ? count(amount) : `${count(Math.round(amount / 1e5) / 10)} million`);
