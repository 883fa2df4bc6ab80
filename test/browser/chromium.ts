/** The browser of the tests: the one of the machine, or else Debian's, installed on the way. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

const PLACES = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const INSTALL_TIMEOUT_MS = 300_000;

/** The browser, and what runs the programs that are shown. */
const PACKAGES = ["chromium", "php-cli", "php-curl", "python3", "python3-requests"];

/** What a test machine has no use for, and what would call out on the browser's own behalf. */
export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Another site, as far as the browser knows: its pages are served by the tests.
  "--host-resolver-rules=MAP evil.example 127.0.0.1",
];

/** The path of a browser, or in words why there is none. */
export async function findChromium(): Promise<{ path: string } | { missing: string }> {
  const there = PLACES.find((place) => place !== "" && existsSync(place));
  if (there !== undefined) return { path: there };
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    return { missing: "there is no Chromium on this machine; CHROMIUM may name one" };
  }
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const options = { env: environment, timeout: INSTALL_TIMEOUT_MS, maxBuffer: 1 << 26 };
  try {
    await run("apt-get", ["update", "-q"], options);
    await run("apt-get", ["install", "-q", "-y", "--no-install-recommends", ...PACKAGES], options);
  } catch {
    return { missing: "apt-get could not install Chromium" };
  }
  return existsSync("/usr/bin/chromium") ? { path: "/usr/bin/chromium" } : { missing: "the package brought none" };
}
