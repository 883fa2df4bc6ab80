/** What it takes to keep the gain map of a photograph of high dynamic range, `PHOTOS=a.jpg`, that becomes 1,200 pixels wide. */
import * as v from "valibot";

import { jpeg } from "../../src/image/formats/jpeg.ts";
import { OPERATIONS } from "../../src/image/operations.ts";
import { rendered } from "../support/render.ts";
import { given } from "./given.ts";
import type { Bench } from "./harness.ts";

const AIMS = { searched: undefined, "of quality 80": { lossless: false, quality: 80 } } as const;
/** Processor time, against that of the same without the map. */
const MOST = 4 / 3;

export const bench: Bench = {
  title: "A photograph with its gain map, 1,200 pixels wide",
  async candidates() {
    const { readFile } = await import("node:fs/promises");
    const [path] = given("PHOTOS");
    const photo = new Uint8Array(await readFile(path));
    if (!jpeg.gainMap.read(photo)) throw new Error("the photograph has no gain map");
    const operations = { resize: v.parse(OPERATIONS.resize.params, { width: 1200 }) };
    return Object.entries(AIMS).flatMap(([name, optimize]) =>
      (["drop", "keep"] as const).map((hdr) => ({
        name: `${name}, ${hdr}`,
        run: async () => {
          const { output } = await rendered(photo, { operations, optimize, output: { format: "jpeg", hdr } });
          return { bytes: output.bytes.length };
        },
        ...(hdr === "keep" && { target: { most: MOST, against: `${name}, drop` } }),
      })),
    );
  },
};
