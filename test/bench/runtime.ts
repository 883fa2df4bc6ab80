/** What the runtime of the service takes of the machine; Linux only. */
import { readdir, readFile } from "node:fs/promises";
import { pid } from "node:process";

/** Processor time of all processes that this one started, in milliseconds. */
export async function runtimeMs(): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  let nanoseconds = 0;
  for (const child of children.split(" ").filter(Boolean)) {
    for (const thread of await readdir(`/proc/${child}/task`)) {
      const [running = ""] = (await readFile(`/proc/${child}/task/${thread}/schedstat`, "utf8")).split(" ");
      nanoseconds += Number(running);
    }
  }
  return nanoseconds / 1e6;
}
