/** What the engine has compiled of native modules, in a service that runs for long. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "jxl");
const MOST_BYTES = 150_000;
/** Until all functions that the request comes to were compiled, and as often again. */
const WARMING = 100;
const REQUESTS = 100;
const CALLERS = 4;
const MOST_MEGABYTES = 5;

/** Megabytes of memory that may be written to and carried out, of all runtimes that this process has started. */
function codeOfRuntimes(): number {
  const runtimes = execFileSync("pgrep", ["-P", String(process.pid), "workerd"], { encoding: "utf8" })
    .trim()
    .split("\n");
  const maps = runtimes.flatMap((id) => readFileSync(`/proc/${id}/smaps`, "utf8").split(/\n(?=[\da-f]+-[\da-f]+ )/));
  const code = maps.filter((map) => / rwx/.test(map.split("\n", 1)[0] ?? ""));
  return code.reduce((sum, map) => sum + Number(/^Rss: +(\d+)/m.exec(map)?.[1] ?? 0) / 1024, 0);
}

async function pictures(): Promise<Buffer<ArrayBuffer>[]> {
  const names = (await readdir(FIXTURES)).filter((name) => name.endsWith(".jxl")).sort();
  const files = await Promise.all(names.map((name) => readFile(join(FIXTURES, name))));
  return files.filter(({ length }) => length < MOST_BYTES);
}

it.skipIf(!existsSync("/proc/self/smaps"))(
  "is not compiled anew again and again, and kept each time",
  async () => {
    const state = await mkdtemp(join(tmpdir(), "code-"));
    const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables: {}, quiet: true });
    try {
      const files = await pictures();
      const send = async (at: number): Promise<number> => {
        const body = new FormData();
        body.append("data", JSON.stringify({ resize: { width: 60 } }));
        body.append("file", new Blob([files[at % files.length] ?? ""]), "a.jxl");
        const headers = { authorization: `Bearer ${DEMO_KEY}` };
        const answer = await fetch(new URL("/1.0/upload", service.url), { method: "POST", headers, body });
        await answer.arrayBuffer();
        return answer.status;
      };
      const sendAll = async (many: number): Promise<void> => {
        for (let at = 0; at < many; at += CALLERS) {
          const statuses = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => send(at + caller)));
          expect(statuses).toEqual(statuses.map(() => 200));
        }
      };
      await sendAll(WARMING);
      const before = codeOfRuntimes();
      await sendAll(REQUESTS);
      expect(before).toBeGreaterThan(1);
      expect(codeOfRuntimes() - before).toBeLessThan(MOST_MEGABYTES);
    } finally {
      await service.stop();
      await rm(state, { recursive: true, force: true });
    }
  },
  240_000,
);
