/**
 * What work declares, bytes and milliseconds, against what it holds and takes: `npm run bench -- estimates`. Every format is
 * read, written by number, by search and without loss, and rewritten; every operation, every way of resizing, animations
 * and the score. `PHOTOS=a.jpg` takes another photograph than that of the fixtures, and `ONLY="read: avif"` the lines that
 * contain all of the words.
 *
 * Declared is what a piece says before it starts, spent what it says while it goes on, taken what the processor says: a
 * estimate that is off counts the wrong things where spent is off, too, or counts them at the wrong rate.
 *
 * No piece of work may hold more than it declares, nor take less than half or more than twice of it: if one does the
 * command fails. What declares and takes less than `SHORT_MS` is printed, but its milliseconds are not judged: what every
 * piece has besides, instances to be made and pauses, is a large part of them.
 */
import { jobsWith, type Material } from "./estimate-jobs.ts";
import { GLASS, PAGE, PHOTO, pixelsIn, softened } from "./estimate-pictures.ts";
import { isWithin, type Line, watched } from "./estimate-watch.ts";

const SHORT_MS = 5;
/** By how much the milliseconds of an estimate may be off, in either direction. */
const FACTOR = 2;

const COLUMN = 9;

export async function main(): Promise<void> {
  const words = (process.env["ONLY"] ?? "").split(" ").filter(Boolean);
  const [photo = PHOTO] = (process.env["PHOTOS"] ?? "").split(" ").filter(Boolean);
  const pixels = await pixelsIn(photo);
  const drawings = { page: await pixelsIn(PAGE), glass: await pixelsIn(GLASS) };
  const material: Material = { photo: pixels, soft: await softened(pixels), ...drawings };
  const lines: Line[] = [];
  console.log(
    `  ${"".padEnd(64)}${["declared", "spent", "taken ms", "ratio", "declared", "held KiB", "ratio"].map(column).join("")}`,
  );
  for await (const job of jobsWith(words, material)) {
    for (const line of await watched(job)) {
      lines.push(line);
      console.log(shown(line));
    }
  }
  summarize(lines);
}

function column(text: string): string {
  return text.padStart(COLUMN);
}

function shown(line: Line): string {
  const { name, declaredMs, spentMs, takenMs, declaredBytes, heldBytes } = line;
  const kib = (bytes: number) => (bytes / 1_024).toFixed(0);
  const cells = [
    declaredMs.toFixed(1),
    spentMs.toFixed(1),
    takenMs.toFixed(1),
    isShort(line) ? "short" : (takenMs / declaredMs).toFixed(2),
    kib(declaredBytes),
    kib(heldBytes),
    (heldBytes / Math.max(1, declaredBytes)).toFixed(2),
  ];
  const verdict = [...(isLate(line) ? ["MS"] : []), ...(isHeavy(line) ? ["BYTES"] : [])].join(" ");
  return `  ${name.padEnd(64)}${cells.map(column).join("")}  ${verdict}`.trimEnd();
}

function isShort({ declaredMs, takenMs }: Line): boolean {
  return Math.max(declaredMs, takenMs) < SHORT_MS;
}

function isLate(line: Line): boolean {
  return !isShort(line) && !isWithin(line.takenMs, line.declaredMs, FACTOR);
}

function isHeavy({ declaredBytes, heldBytes }: Line): boolean {
  return heldBytes > declaredBytes;
}

/** The worst of all; the command fails where an estimate does not hold. */
function summarize(lines: readonly Line[]): void {
  const judged = lines.filter((line) => !isShort(line));
  const ratios = judged.map(({ takenMs, declaredMs }) => takenMs / declaredMs);
  const held = lines.map(({ heldBytes, declaredBytes }) => heldBytes / Math.max(1, declaredBytes));
  const wrong = lines.filter((line) => isLate(line) || isHeavy(line));
  if (wrong.length > 0) {
    console.log(`\n  ${wrong.length} of ${lines.length} do not hold:`);
    for (const line of wrong) console.log(shown(line));
    process.exitCode = 1;
  }
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  console.log(
    `  ${lines.length} pieces of work, ${lines.length - judged.length} too short to be judged by their time; ` +
      `worst ratios: ms ${least} and ${most}, bytes ${Math.max(...held).toFixed(2)}`,
  );
}
