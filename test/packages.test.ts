/** The packages, as users get them: packed, checked by the tools that check packages, and installed into an empty project. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { PACKAGE_VERSION } from "../src/version.ts";
import { namesIn, npm, packed } from "./support/npm.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const CLIENT = join(ROOT, "src", "clients");
/** What a site downloads to use the client. */
const MAX_CLIENT_BYTES = 30_000;

let folder: string;
let tarball: string;
/** A project with the client and nothing else. */
let project: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "packages-"));
  tarball = await packed(CLIENT, folder);
  project = join(folder, "project");
  await mkdir(project);
  const scripts = { version: "node --print process.version" };
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true, scripts }));
  await npm(["install", "--offline", "--no-audit", "--no-fund", tarball], project);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the client", () => {
  it("is small, and has nothing but modules, types, a description and the license", async () => {
    expect((await stat(tarball)).size).toBeLessThan(MAX_CLIENT_BYTES);
    const names = await namesIn(tarball);
    expect(
      names.filter((name) => !/^package\/(?:[a-z-]+\.(?:js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(name)),
    ).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["package/README.md", "package/LICENSE"]));
  });

  it("is a package by the rules of publint", async () => {
    const bytes = await readFile(tarball);
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
    // Which repository a copy is published from, this one cannot know.
    const others = messages.filter(({ code }) => code !== "USE_TYPE" && code !== ("PKG_REPOSITORY_MISSING" as never));
    expect(others.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("has types that fit its modules, in every way of resolving them but the oldest", async () => {
    const bytes = new Uint8Array(await readFile(tarball));
    const result = await checkPackage(createPackageFromTarballData(bytes));
    if (!result.types) throw new Error("The package has no types");
    // It is a package of ES modules, which the newer ways of resolving find by `exports`.
    const problems = result.problems.filter(
      (problem) =>
        problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    );
    expect(problems).toEqual([]);
  });

  it("depends on nothing, and changes nothing of the Node of a project", async () => {
    const manifest = JSON.parse(await readFile(join(CLIENT, "package.json"), "utf8")) as Record<string, unknown>;
    for (const member of ["dependencies", "optionalDependencies", "scripts", "bin"]) {
      expect(manifest).not.toHaveProperty(member);
    }
    await expect(stat(join(project, "node_modules", ".bin"))).rejects.toThrow("ENOENT");
    expect(await npm(["run", "--silent", "version"], project)).toBe(
      (await run("node", ["--version"], { cwd: project })).stdout.trim(),
    );
  });

  it("runs where it is installed", async () => {
    await writeFile(
      join(project, "use.js"),
      `import { createClient, RateLimitError } from "@darkroom-images/client";
import { imageAttributes } from "@darkroom-images/client/attributes";
import { imageURL } from "@darkroom-images/client/image-url";
import { createLoader } from "@darkroom-images/client/next";
import { signURL } from "@darkroom-images/client/sign";
import { srcset } from "@darkroom-images/client/srcset";
import { createTransformer } from "@darkroom-images/client/unpic";
import { readNotification } from "@darkroom-images/client/webhooks";
const all = [createClient, RateLimitError, imageAttributes, imageURL, createLoader, signURL, srcset, createTransformer, readNotification];
console.log(all.every((one) => typeof one === "function"));`,
    );
    expect((await run("node", ["use.js"], { cwd: project })).stdout.trim()).toBe("true");
  });

  it.each(["nodenext", "bundler"])("is typed where modules are resolved as %s does", async (resolution) => {
    const source = `import { createClient, DarkroomError } from "@darkroom-images/client";
import type { Success, UploadBody } from "@darkroom-images/client/api-types";
import { type Notification, readNotification } from "@darkroom-images/client/webhooks";
const client = createClient({ baseURL: "https://darkroom.example.com", key: "key" });
const body: UploadBody = { resize: { width: 800 } };
const one: Success = await client.upload(new Blob([]), body);
const several: string | undefined = (await client.upload(new Blob([]), { srcset: { widths: [1, 2], formats: ["webp"] } })).html;
const job: 202 = (await client.fetch("https://www.example.com/a.jpg", { webhook: { url: "https://example.com" } })).code;
const bytes: ArrayBuffer = await (await client.upload(new Blob([]), { response: { mode: "binary" } })).arrayBuffer();
const name: string = (await client.call("findDelivery", { path: { delivery: "dl_1" } })).delivery.name;
const told: Notification = await readNotification({ headers: {}, body: "" }, "whsec_");
// @ts-expect-error -- no operation has this name
await client.call("findNothing", {});
// @ts-expect-error -- a width is a number
await client.upload(new Blob([]), { resize: { width: "800" } });
// @ts-expect-error -- a delivery is found by its id
await client.call("findDelivery", {});
export { bytes, DarkroomError, job, name, one, several, told };
`;
    await writeFile(join(project, "use.ts"), source);
    const module = resolution === "nodenext" ? "nodenext" : "esnext";
    const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--types", ""];
    await run(
      process.execPath,
      [
        join(ROOT, "node_modules", "typescript", "bin", "tsc"),
        ...options,
        "--module",
        module,
        "--moduleResolution",
        resolution,
        "use.ts",
      ],
      { cwd: project },
    ).catch((error: { stdout?: string }) => expect.unreachable(error.stdout));
  });
});

describe("the chains of sharp", () => {
  let chains: string;

  beforeAll(async () => {
    chains = await packed(join(CLIENT, "sharp"), folder);
    await npm(["install", "--offline", "--no-audit", "--no-fund", tarball, chains], project);
  });

  it("are small, and a package by the rules of publint", async () => {
    const bytes = await readFile(chains);
    expect(bytes.length).toBeLessThan(MAX_CLIENT_BYTES);
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
    const others = messages.filter(({ code }) => code !== "USE_TYPE" && code !== ("PKG_REPOSITORY_MISSING" as never));
    expect(others.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("run where they are installed, beside the client", async () => {
    await writeFile(
      join(project, "chain.js"),
      `import { sharpOver } from "@darkroom-images/sharp";
let asked;
const fetch = async (url, { headers, body }) => {
  asked = [url, headers.Authorization, body.get("data")];
  const output = { format: "PNG", width: 1, height: 2, alpha: false };
  return new Response("bytes", { headers: { "x-image-metadata": JSON.stringify({ success: true, output }) } });
};
const sharp = sharpOver({ baseURL: "https://darkroom.example.com", key: "k", fetch });
const { info } = await sharp(Buffer.from("a picture")).rotate().resize({ width: 1 }).png().toBuffer({ resolveWithObject: true });
console.log(JSON.stringify([asked.slice(0, 2), info.format, info.height, info.size]));`,
    );
    const { stdout } = await run("node", ["chain.js"], { cwd: project });
    expect(JSON.parse(stdout)).toEqual([["https://darkroom.example.com/1.0/upload", "Bearer k"], "png", 2, 5]);
  });
});

describe("the command", () => {
  let command: string;

  /** Runs it in the project as npm has installed it. */
  const darkroom = (...args: readonly string[]) =>
    run(process.execPath, [join(project, "node_modules", "@darkroom-images", "cli", "dist", "darkroom.js"), ...args], {
      cwd: project,
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

  beforeAll(async () => {
    const built = join(folder, "command");
    await run(process.execPath, [join(ROOT, "src", "cli", "package", "build.js"), built]);
    command = await packed(built, folder);
    await npm(["install", "--offline", "--no-audit", "--no-fund", command], project);
  });

  it("is small, depends on nothing, and is a package by the rules of publint", async () => {
    const bytes = await readFile(command);
    expect(bytes.length).toBeLessThan(MAX_CLIENT_BYTES);
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    expect(pkg).not.toHaveProperty("dependencies");
    expect(pkg).not.toHaveProperty("scripts");
  });

  it("says its version, what it can do, and what is wrong with a command", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "src", "cli", "package", "package.json"), "utf8")) as {
      version: string;
    };
    expect(await darkroom("--version")).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect((await darkroom("-h")).stdout).toContain("Usage: darkroom");
    const wrong = await darkroom("--nope", "x");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/^Unknown option '--nope'\n/);
  });

  it("writes what a service answers, and says what to do where there is none to start", async () => {
    const original = join(project, "photo.jpg");
    await cp(join(ROOT, "src", "playground", "sample.jpg"), original);
    const told = {
      success: true,
      code: 200,
      output: { name: "photo.webp", format: "WEBP", width: 1, height: 1, bytes: 5 },
    };
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        const metadata = JSON.stringify({ ...told, input: { name: "photo.jpg", format: "JPEG", bytes: 9 } });
        response.writeHead(200, { "content-type": "image/webp", "x-service-metadata": metadata }).end("bytes");
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { code, stderr } = await darkroom(original, "--format", "webp", "-o", "small", "--url", url, "--key", "k");
      expect(code, stderr).toBe(0);
      expect(await readFile(join(project, "small", "photo.webp"), "utf8")).toBe("bytes");
    } finally {
      server.close();
    }
    const alone = await darkroom(original, "--local");
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain("name a service with --url");
  });
});

it.each(["clients", "clients/components", "clients/sharp", "cli/create", "cli/package", "cli/package/worker"])(
  "the package in src/%s has the version of the service, and wants others of it",
  async (name) => {
    const manifest = JSON.parse(await readFile(join(ROOT, "src", name, "package.json"), "utf8")) as {
      readonly version: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    expect(manifest.version).toBe(PACKAGE_VERSION);
    const own = Object.entries(manifest.dependencies ?? {}).filter(([other]) => other.startsWith("@darkroom-images/"));
    for (const [, range] of own) expect(range).toBe(`^${PACKAGE_VERSION}`);
  },
);

it.each([".pre-commit-hooks.yaml", ".github/actions/optimize/action.yml"])(
  "%s takes the command of this version",
  async (name) => {
    const text = await readFile(join(ROOT, name), "utf8");
    expect(text).toContain(`npx --yes @darkroom-images/cli@${PACKAGE_VERSION}`);
  },
);

it("the service says the version of its package", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  expect(PACKAGE_VERSION).toBe(version);
});
