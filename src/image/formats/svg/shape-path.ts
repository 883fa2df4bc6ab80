/** The commands of `shape()` (CSS Shapes Level 2, section 3.2) as a path of SVG. */
import type { Box } from "../../pixels/geometry.ts";
import { measured } from "./calc.ts";
import { partedByCommas, wordsOf } from "./commas.ts";

/** The path of a list of commands; undefined where one is not known. */
export function shapePath(list: string, box: Box): string | undefined {
  const [start = "", ...commands] = partedByCommas(list);
  const [from, x, y] = wordsOf(start);
  const at = from?.toLowerCase() === "from" ? pointOf([x, y], box, false) : undefined;
  const parts = commands.map((command) => written(wordsOf(command.toLowerCase()), box));
  return at === undefined || parts.includes(undefined) ? undefined : `M${at}${parts.join("")}`;
}

/** Letters of commands that end at a point. */
const ENDS: Readonly<Record<string, string>> = { move: "M", line: "L", curve: "C", smooth: "S", arc: "A" };

function written([name = "", way = "", ...words]: string[], box: Box): string | undefined {
  if (name === "close") return "Z";
  const isRelative = way === "by";
  if (!isRelative && way !== "to") return undefined;
  const cased = (letter: string) => (isRelative ? letter.toLowerCase() : letter);
  if (name === "hline" || name === "vline") {
    const isAcross = name === "hline";
    const end = coordinate(words[0], box, isAcross, isRelative);
    return end === undefined ? undefined : `${cased(isAcross ? "H" : "V")}${end}`;
  }
  const end = pointOf(words, box, isRelative);
  const rest = words.slice(2);
  if (end === undefined || !Object.hasOwn(ENDS, name)) return undefined;
  if (name === "move" || name === "line") return `${cased(ENDS[name]!)}${end}`;
  if (name === "arc") return arc(rest, end, box, cased("A"));
  if (rest.length === 0) return name === "smooth" ? `${cased("T")}${end}` : undefined;
  const controls: string[] = [];
  for (let at = 0; at < rest.length; at += 3) {
    const control = /^(?:with|\/)$/.test(rest[at] ?? "") ? pointOf(rest.slice(at + 1), box, isRelative) : undefined;
    if (control === undefined) return undefined;
    controls.push(control);
  }
  const letter = name === "smooth" ? "S" : controls.length === 1 ? "Q" : "C";
  if (controls.length !== (letter === "C" ? 2 : 1)) return undefined;
  return `${cased(letter)}${[...controls, end].join(" ")}`;
}

/** `of` one or two radii, `cw` or `ccw`, `large` or `small`, `rotate` and an angle. */
function arc(words: readonly string[], end: string, box: Box, letter: string): string | undefined {
  const after = (word: string) => (words.includes(word) ? words.slice(words.indexOf(word) + 1) : []);
  const [across, down] = after("of");
  const diagonal = Math.hypot(box.width, box.height) / Math.SQRT2;
  const rx = measured(across, diagonal);
  const ry = measured(down, diagonal) ?? rx;
  if (rx === undefined || ry === undefined) return undefined;
  const turn = Number.parseFloat(after("rotate")[0] ?? "0");
  const [isLarge, isClockwise] = [Number(words.includes("large")), Number(words.includes("cw"))];
  return `${letter}${rx} ${ry} ${turn} ${isLarge} ${isClockwise} ${end}`;
}

function pointOf([x, y]: readonly (string | undefined)[], box: Box, isRelative: boolean): string | undefined {
  const across = coordinate(x, box, true, isRelative);
  const down = coordinate(y, box, false, isRelative);
  return across === undefined || down === undefined ? undefined : `${across} ${down}`;
}

function coordinate(text: string | undefined, box: Box, isAcross: boolean, isRelative: boolean): number | undefined {
  const length = measured(text, isAcross ? box.width : box.height);
  const start = isRelative ? 0 : isAcross ? box.x : box.y;
  return length === undefined ? undefined : start + length;
}
