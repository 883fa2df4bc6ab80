/** Images replaced in place, alone and in a real git repository: by the command, the hook and the action as they stand. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readOptions } from "../../src/cli/batch/options.ts";
import { type Listening, listening } from "../support/listening.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const COMMAND = join(ROOT, "src", "cli", "darkroom.js");

let folder: string;
let service: Listening;
let url: string;
let sent: string[];
/** Called while the service is at work. */
let meanwhile: () => Promise<void>;

/** What the stand-in makes of an image: half of it, or of `lean` ones 4 % less, or of `other` ones another format. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  const form = await new Response(await buffer(request), { headers }).formData();
  const file = form.get("file") as File;
  sent.push(file.name);
  await meanwhile();
  const share = file.name.startsWith("lean") ? 0.96 : 0.5;
  const result = (await file.bytes()).subarray(0, Math.ceil(file.size * share));
  const name = file.name.startsWith("other") ? file.name.replace(/\.\w+$/, ".png") : file.name;
  const output = { name, format: "JPEG", width: 4, height: 3, bytes: result.length };
  response.setHeader("x-anything-metadata", JSON.stringify({ success: true, code: 200, output }));
  response.end(result);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "in-place-"));
  sent = [];
  meanwhile = () => Promise.resolve();
  service = await listening((request, response) => void serve(request, response));
  url = service.url.origin;
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** An image of 100 characters. */
const image = (name: string) => name.padEnd(100, ".");
const write = async (...names: readonly string[]) => {
  for (const name of names) await writeFile(join(folder, name), image(name));
};
const read = (name: string) => readFile(join(folder, name), "utf8");
const smaller = (name: string) => image(name).slice(0, 50);

/** Nobody's settings of git: there is no such file. */
const NO_CONFIG = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(tmpdir(), "no", "such", "gitconfig") };
const env = () => ({ ...process.env, DARKROOM_URL: url, DARKROOM_KEY: "k", ...NO_CONFIG });
const git = async (...args: readonly string[]) => {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  return (await run("git", [...identity, ...args], { cwd: folder, env: env() })).stdout;
};

/** How the command ended. */
const darkroom = (...args: readonly string[]) =>
  run(process.execPath, [COMMAND, ...args], { cwd: folder, env: env() }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

describe("in place", () => {
  it("replaces what saves enough, and leaves everything else as it is", async () => {
    await write("a.jpg", "lean.jpg", "other.jpg");
    await chmod(join(folder, "a.jpg"), 0o640);
    const { code, stdout } = await darkroom("--in-place", ".");
    expect([code, stdout]).toEqual([0, expect.stringContaining("2 kept as they are.")]);
    expect([await read("a.jpg"), await read("lean.jpg")]).toEqual([smaller("a.jpg"), image("lean.jpg")]);
    expect(await read("other.jpg")).toBe(image("other.jpg"));
    expect((await stat(join(folder, "a.jpg"))).mode & 0o777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(["a.jpg", "lean.jpg", "other.jpg"]);
    expect((await darkroom("--in-place", "--min-saving", "3", "lean.jpg")).code).toBe(0);
    expect((await read("lean.jpg")).length).toBe(96);
  });

  it("keeps originals where it is told to, and links as links", async () => {
    await mkdir(join(folder, "kept"));
    await write("a.jpg");
    await symlink("a.jpg", join(folder, "b.jpg"));
    expect((await darkroom("--in-place", "--originals", "kept", "b.jpg")).code).toBe(0);
    expect(await read("a.jpg")).toBe(smaller("a.jpg"));
    const [copy = ""] = await readdir(join(folder, "kept"));
    expect(copy).toMatch(/^[0-9a-f]{16}-a\.jpg$/);
    expect(await read(join("kept", copy))).toBe(image("a.jpg"));
  });

  it("leaves copies alone, and folders of programs", async () => {
    for (const name of [".git", "node_modules"]) await mkdir(join(folder, name));
    await write("a.jpg", join(".git", "b.jpg"), join("node_modules", "c.jpg"));
    for (let time = 0; time < 2; time += 1) {
      expect((await darkroom("--in-place", "--originals", "kept", ".")).code).toBe(0);
    }
    expect(sent).toEqual(["a.jpg", "a.jpg"]);
    expect((await readdir(join(folder, "kept"))).length).toBe(2);
  });

  it("does not lay a result over what was changed in the meantime", async () => {
    await write("a.jpg");
    meanwhile = () => writeFile(join(folder, "a.jpg"), "newer");
    const { code, stdout } = await darkroom("--in-place", "a.jpg");
    expect([code, stdout]).toEqual([1, expect.stringContaining("it changed while it was worked on")]);
    expect(await read("a.jpg")).toBe("newer");
  });

  it.each([
    [["--in-place", "--out", "x", "a"], "Images replaced in place take neither"],
    [["--in-place", "--format", "webp", "a"], "Images replaced in place take neither"],
    [["--staged", "--since", "main"], "--staged and --since name different images"],
    [["--since=--output=x"], "--since must be a commit, a branch or a tag"],
    [["--min-saving", "3", "a"], "--min-saving and --originals belong to --in-place"],
    [["--in-place", "--min-saving", "100", "a"], "--min-saving must be"],
  ])("says what is wrong with %j", (args, said) => {
    expect(() => readOptions(["--key", "k", ...args], {})).toThrow(said);
  });
});

describe("in a git repository", () => {
  beforeEach(async () => {
    await git("init", "--quiet");
    await write("old.jpg");
    await git("add", ".");
    await git("commit", "--quiet", "-m", "before");
  });

  it("takes what is staged, and stages it again", async () => {
    await mkdir(join(folder, "sub"));
    await write("new ü.jpg", "notes.txt", "part.jpg", join("sub", "b.jpg"), "loose.jpg");
    await git("add", "new ü.jpg", "notes.txt", "part.jpg", "sub");
    // A person has staged a part of this one.
    await writeFile(join(folder, "part.jpg"), "another");
    expect((await darkroom("--staged")).code).toBe(0);
    expect(sent.sort()).toEqual(["b.jpg", "new ü.jpg"]);
    await git("commit", "--quiet", "-m", "after");
    expect(await git("show", "HEAD:new ü.jpg")).toBe(smaller("new ü.jpg"));
    expect(await git("show", "HEAD:part.jpg")).toBe(image("part.jpg"));
    expect([await read("part.jpg"), await read("loose.jpg")]).toEqual(["another", image("loose.jpg")]);
    sent = [];
    expect(await darkroom("--staged")).toMatchObject({ code: 0, stderr: "No images have changed.\n" });
    expect(sent).toEqual([]);
  });

  it("as a hook of git: the commit has the smaller image", async () => {
    const hook = join(folder, ".git", "hooks", "pre-commit");
    await writeFile(
      hook,
      `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" --staged --originals .git/darkroom-originals\n`,
    );
    await chmod(hook, 0o755);
    await write("new.jpg");
    await git("add", "new.jpg");
    await git("commit", "--quiet", "-m", "with the hook");
    expect(await git("show", "HEAD:new.jpg")).toBe(smaller("new.jpg"));
    expect(await git("status", "--porcelain")).toBe("");
    expect(await readdir(join(folder, ".git", "darkroom-originals"))).toHaveLength(1);
  });

  it("as a hook of pre-commit, which gives names: the file is changed, the original kept", async () => {
    const text = await readFile(join(ROOT, ".pre-commit-hooks.yaml"), "utf8");
    const entry = /entry: npx --yes @darkroom-images\/cli@(\S+) (.+)/.exec(text);
    const { version } = JSON.parse(await readFile(join(ROOT, "src/cli/package/package.json"), "utf8")) as object & {
      version: string;
    };
    expect(entry?.[1]).toBe(version);
    await write("new.jpg");
    expect((await darkroom(...(entry?.[2] ?? "").split(" "), "new.jpg", "old.jpg")).code).toBe(0);
    expect(await read("new.jpg")).toBe(smaller("new.jpg"));
    expect(await readdir(join(folder, ".git", "darkroom-originals"))).toHaveLength(2);
    expect(new RegExp(/files: (.+)/.exec(text)?.[1] ?? "").test("a/photo.jpeg")).toBe(true);
  });

  it("takes what a branch has changed", async () => {
    await git("checkout", "--quiet", "-b", "topic");
    await write("new.jpg");
    await git("add", ".");
    await git("commit", "--quiet", "-m", "topic");
    expect((await darkroom("--since", "main")).code).toBe(0);
    expect(sent).toEqual(["new.jpg"]);
    expect(await darkroom("--since", "nowhere")).toMatchObject({ code: 2, stderr: expect.stringContaining("nowhere") });
  });

  it("as an action: replaces, counts, and says so", async () => {
    const action = await readFile(join(ROOT, ".github/actions/optimize/action.yml"), "utf8");
    const script = action.split("      run: |\n")[1]?.replaceAll(/^ {8}/gm, "") ?? "";
    const temp = await mkdtemp(join(tmpdir(), "runner-"));
    const step = async (given: Readonly<Record<string, string>>) => {
      const inputs = { PATHS: ".", SINCE: "", MIN_SAVING: "5", COMMAND: `${process.execPath} ${COMMAND}`, ...given };
      const files = { GITHUB_OUTPUT: join(temp, "output"), GITHUB_STEP_SUMMARY: join(temp, "summary") };
      const of = { cwd: folder, env: { ...env(), ...inputs, ...files, RUNNER_TEMP: temp } };
      await run("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script], of);
      return readFile(files.GITHUB_OUTPUT, "utf8");
    };
    try {
      await write("new one.jpg", "lean.jpg");
      expect(await step({ PATHS: "new one.jpg\nlean.jpg\n" })).toBe("images=1\nbytes-saved=50\n");
      expect(await read("old.jpg")).toBe(image("old.jpg"));
      expect(await step({ SINCE: "HEAD", PATHS: "." })).toContain("images=0\nbytes-saved=0\n");
      expect(await step({})).toMatch(/images=2\nbytes-saved=75\n$/);
      for (const name of ["url", "key", "paths", "since", "min-saving", "command"]) {
        expect(action).toContain(`\${{ inputs.${name} }}`);
      }
    } finally {
      await rm(temp, { recursive: true, force: true });
    }
  });
});
