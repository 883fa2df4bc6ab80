/** What the operating system says of the runtimes that this process started. */
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer as createSocket } from "node:net";

/** Bytes that the largest runtime holds which this process started; 0 where the operating system does not tell. */
export async function residentBytes(): Promise<number> {
  const told = await ofChildren("status");
  return Math.max(0, ...told.map((status) => Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024));
}

/** Processor time that all runtimes have taken which this process started; 0 where the operating system does not tell. */
export async function runtimeSeconds(): Promise<number> {
  const told = await ofChildren("stat");
  return told.reduce((sum, stat) => {
    // After the name, which is in brackets, come the state and ten more numbers; then ticks of the user and of the system.
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .map(Number);
    return sum + (user + system) / TICKS_PER_SECOND;
  }, 0);
}

/** Seconds for which the runtimes' own threads stood ready and had no core, because others had them. */
export async function coreWaitSeconds(): Promise<number> {
  const told = await ofChildren("schedstat");
  return told.reduce((sum, schedule) => sum + Number(schedule.split(" ")[1] ?? 0) / 1e9, 0);
}

/** Of Linux, on all its machines. */
const TICKS_PER_SECOND = 100;

/** What the operating system tells of each process that this one started; nothing where it does not. */
async function ofChildren(file: "stat" | "status" | "schedstat"): Promise<readonly string[]> {
  try {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    const pids = children.trim().split(" ");
    return await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/${file}`, "utf8")));
  } catch {
    return [];
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}
