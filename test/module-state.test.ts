/**
 * What a module remembers between requests: an invocation may be ended at any point, so nothing that requests change may
 * wait for one of them to change it back. State that they change is of a class with an expiry or a bound; what is not is
 * named here, with the reason.
 */
import { expect, it } from "vitest";

declare global {
  interface ImportMeta {
    /** What Vite puts in its place: the texts of files, by path. */
    glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Readonly<Record<string, string>>;
  }
}

const sources = import.meta.glob("../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Folders of other programs than the Worker. */
const ELSEWHERE = /^\.\.\/src\/(?:cli|clients|playground)\//;
/** A variable, or a collection that can be added to, at the top of a module. */
const STATE =
  /^(?:export )?(?:let (\w+)|const (\w+)(?: *: *(?!Readonly)[^=\n]+)? = new (?:Map|Set|WeakMap|WeakSet|Array)\b)/gm;
/** Tables by their names: nobody adds to what is written in capitals. */
const TABLE = /^[A-Z][A-Z\d_]*$/;

/** By file and name, why no request can leave it wrong. */
const REASONS: Readonly<Record<string, string>> = {
  "env.ts known": "settings of the environment, read again when that changes",
  "metrics.ts series": "counters that only grow, MAX_SERIES of each",
  "delivery/counts.ts counted": "sums until they are written; one for each delivery and day",
  "delivery/counts.ts writtenBy": "a moment, after which nobody is waited for",
  "http/handlers/metrics.ts name": "made once",
  "entrances/placed.ts placedOf": "made once of the environment",
  "http/drawn.ts given": "goes with its request",
  "http/inside.ts parts": "goes with its request",
  "http/handed-over.ts received": "goes with its request",
  "image/analyses/found-faces.ts found": "goes with its picture",
  "image/codec/metered-rows.ts exhausted": "goes with the bytes of its original",
  "image/color/space.ts known": "goes with its profile",
  "image/formats/svg/resvg.ts fontsOf": "goes with its instance, which ended work gives up",
  "image/text/metrics.ts known": "goes with its font",
  "storage/providers.ts schemas": "a table, made when the module is loaded",
};

it("is nothing that only the request takes back that has changed it", () => {
  const found = Object.entries(sources).flatMap(([path, text]) =>
    ELSEWHERE.test(path)
      ? []
      : [...text.matchAll(STATE)].flatMap(([, variable, collection]) => {
          const name = variable ?? collection ?? "";
          return TABLE.test(name) && variable === undefined ? [] : [`${path.slice("../src/".length)} ${name}`];
        }),
  );
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  expect(found.toSorted()).toEqual(Object.keys(REASONS).toSorted());
});
