/** The tables of costs, computed from the unit figures. */
import { DELIVERY, dollarsBesideCpu, dollarsPerMillion, PRICES, UPLOADS, type Work } from "../../src/docs/figures.ts";
import { table, type Tables } from "./markdown-tables.ts";

export const FIGURE_TABLES: Tables = {
  prices: () =>
    table(
      ["A million of", "Costs"],
      [
        ["requests", dollars(PRICES.requests)],
        ["milliseconds of CPU", dollars(PRICES.cpuMs)],
        ["writes of R2", dollars(PRICES.writes)],
        ["reads of R2", dollars(PRICES.reads)],
        ["calls of Durable Objects", dollars(PRICES.calls)],
        ["rows written in D1, indexes included", dollars(PRICES.rows)],
        ["operations of Queues", dollars(PRICES.operations)],
      ],
    ),
  costs: () => costs(UPLOADS),
  "delivery-costs": () => costs(Object.values(DELIVERY)),
  alternatives,
};

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
function partsOf({ requests, writes, reads, calls, rows, operations }: Work): string {
  const parts: readonly (readonly [number, string, string])[] = [
    [requests, "request", "requests"],
    [writes, "write", "writes"],
    [reads, "read", "reads"],
    [calls, "call", "calls"],
    [rows, "row", "rows"],
    [operations, "operation of the queue", "operations of the queue"],
  ];
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, one, many]) => `${amount} ${amount === 1 ? one : many}`)
    .join(", ");
}

/** The same table stands in the README, whose links go through `src/docs`. */
function alternatives(): string {
  const uploads = UPLOADS.map((work) => dollarsPerMillion(work));
  const hits = [DELIVERY.frontHit, DELIVERY.edgeHit, DELIVERY.storedHit].map((work) => dollarsPerMillion(work));
  return table(
    ["", "Runs", "Asked by", "Quality", "Costs for a million images"],
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
