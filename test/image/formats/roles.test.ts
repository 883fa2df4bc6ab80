/** What formats are chosen for, and the lists that follow. */
import { expect, it } from "vitest";

import {
  ACCEPT_CLASSES,
  ADDRESS_FORMATS,
  CURRENT_SOURCE_FORMATS,
  EVERYWHERE,
  GAIN_MAP_FORMATS,
  SOURCE_FORMATS,
} from "../../../src/contract/format-lists.ts";
import type { FormatDefinition } from "../../../src/image/codec/format.ts";
import type { Role } from "../../../src/image/codec/role.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { chosenFor } from "../../../src/image/plan/output.ts";
import { inTryingOrder } from "../../../src/image/render/output-formats.ts";

const ROWS = Object.entries<FormatDefinition>(FORMATS);

it("has a role for each format that is written and that browsers show, for TIFF, and for no other", () => {
  const shown = ROWS.filter(
    ([name, { write, can }]) => write && (can.web || can.named || can.movesAlone || name === "tiff"),
  );
  expect(ROWS.filter(([, { role }]) => role)).toEqual(shown);
});

it("chooses icons, bitmaps, TIFF and films by their names alone", () => {
  const byName = ROWS.filter(([, { role }]) => role && role.tried === undefined).map(([name]) => name);
  expect(byName).toEqual(["bmp", "ico", "tiff", "mp4"]);
});

it.each<[string, (role: Role) => number | undefined]>([
  ["lists", ({ listed }) => listed],
  ["trial", ({ tried }) => tried],
  ["drafts of stills", ({ draft }) => draft?.stills],
  ["drafts of animations", ({ draft }) => draft?.animations],
  ["fallbacks of stills", ({ fallback }) => fallback?.stills],
  ["fallbacks of animations", ({ fallback }) => fallback?.animations],
])("gives every place in the order of %s once, from 1 on", (_, placeOf) => {
  const places = ROWS.flatMap(([, { role }]) => (role && placeOf(role)) ?? []).toSorted((one, other) => one - other);
  expect(places).toEqual(places.map((_place, at) => at + 1));
});

it("makes lists that name first what is mostly the smallest", () => {
  expect(SOURCE_FORMATS).toEqual(["avif", "jxl", "webp", "jpeg", "png"]);
  expect(CURRENT_SOURCE_FORMATS).toEqual(["avif", "webp"]);
  expect(GAIN_MAP_FORMATS).toEqual(["avif", "jpeg"]);
  expect([...ADDRESS_FORMATS.keys()].slice(2, 6)).toEqual(["webp", "jpeg", "baseline-jpeg", "png"]);
  expect(ADDRESS_FORMATS.get("baseline-jpeg")).toEqual({ format: "jpeg", encoding: "baseline" });
});

it("takes clients for what their best format says, and believes none that few show alone", () => {
  expect(ACCEPT_CLASSES.map(({ name, mimes }) => [name, ...mimes])).toEqual([
    ["jxl", "image/jxl", "image/avif"],
    ["avif", "image/avif"],
    ["webp", "image/webp"],
  ]);
  expect(ACCEPT_CLASSES.at(-1)?.accept).toEqual(["image/webp", ...EVERYWHERE]);
  expect(EVERYWHERE).toEqual(["image/jpeg", "image/png", "image/gif"]);
});

it("chooses the first in order that can have the picture, and the last where none can", () => {
  const none = () => false;
  expect(chosenFor("fallback", "stills", { alpha: false })).toBe("jpeg");
  expect(chosenFor("fallback", "stills", { alpha: true })).toBe("png");
  expect(chosenFor("fallback", "animations", { alpha: true })).toBe("webp");
  expect(chosenFor("draft", "stills", { alpha: true })).toBe("webp");
  expect(chosenFor("draft", "stills", { alpha: true, fits: none })).toBe("png");
  expect(chosenFor("draft", "animations", { alpha: false, fits: none })).toBe("gif");
});

it("tries a format without a place last", () => {
  const unknown: FormatDefinition = { ...FORMATS.webp, role: { listed: 9 } };
  const order = inTryingOrder([unknown, FORMATS.png, FORMATS.avif], { kind: "smart", preset: "medium" }, {});
  expect(order).toEqual([FORMATS.avif, FORMATS.png, unknown]);
});
