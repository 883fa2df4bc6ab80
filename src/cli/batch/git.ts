/** The images of a git repository that a commit or a branch has changed. */
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { isImageName, isIn, type Original } from "./files.ts";
import { type GitChoice, UsageError } from "./options.ts";
import type { Outcome } from "./outcome.ts";

const run = promisify(execFile);
/** Added, copied, changed or renamed: what is deleted is not there. */
const THERE = "--diff-filter=ACMR";
/** A list of names of a large repository. */
const MAX_BYTES = 64 << 20;

/**
 * The images that are meant, below some paths. Of staged ones only those whose file is what is staged: of the others a
 * person has chosen a part.
 * @throws UsageError outside of a repository, or for a commit that is not there
 */
export async function changedImages(choice: GitChoice, paths: readonly string[]): Promise<Original[]> {
  const root = (await git(["rev-parse", "--show-toplevel"])).trim();
  const range = choice.kind === "staged" ? ["--cached"] : ["--merge-base", choice.ref];
  const changed = await names(root, ["diff", "--name-only", "-z", THERE, ...range, "--"]);
  const touched = choice.kind === "staged" ? await names(root, ["diff", "--name-only", "-z", "--"]) : [];
  return changed
    .filter((name) => isImageName(name) && !touched.includes(name))
    .map((name) => join(root, name))
    .filter((path) => paths.some((named) => isIn(path, named)))
    .map((path) => ({ path, folder: "" }));
}

/** Stages what was replaced, so that the commit has it. */
export async function stageAgain(outcomes: readonly Outcome[]): Promise<void> {
  for (const { kind, path } of outcomes) {
    if (kind === "written") await git(["-C", dirname(path), "add", "--", path]);
  }
}

async function names(root: string, args: readonly string[]): Promise<string[]> {
  return (await git(["-C", root, ...args])).split("\0").filter(Boolean);
}

async function git(args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", args, { maxBuffer: MAX_BYTES }).catch((cause: { stderr?: string }) => {
    throw new UsageError(cause.stderr?.trim().split("\n")[0] || "git cannot be run", { cause });
  });
  return stdout;
}
