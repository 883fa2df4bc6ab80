/** ExifTool: of the machine, or else Debian's, installed on the way. It reads and writes what ours is held against. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const PATH = "/usr/bin/exiftool";
const INSTALL_TIMEOUT_MS = 300_000;

/** One of each kind of what can be kept, and of what must not be. */
const TAGS = [
  "-EXIF:Artist=Ann Photographer",
  "-EXIF:Copyright=(c) Ann, 2026",
  "-EXIF:ImageDescription=A bird",
  "-EXIF:Make=Maker",
  "-EXIF:Model=Model 5",
  "-EXIF:Software=Editor 1",
  "-EXIF:Orientation#=1",
  "-EXIF:DateTimeOriginal=2026:11:22 10:11:12",
  "-EXIF:ExposureTime=0.01",
  "-EXIF:SerialNumber=SN-4711",
  "-EXIF:LensSerialNumber=SN-4712",
  "-EXIF:ImageUniqueID=00112233445566778899aabbccddeeff",
  "-EXIF:GPSLatitude=48.858",
  "-EXIF:GPSLatitudeRef=N",
  "-EXIF:GPSLongitude=2.294",
  "-EXIF:GPSLongitudeRef=E",
  "-EXIF:GPSAltitude=35",
  "-XMP-dc:Rights=(c) Ann in XMP",
  "-XMP-dc:Creator=Ann in XMP",
  "-XMP-xmpRights:WebStatement=https://example.com/rights",
  "-XMP-xmp:Rating=4",
  "-XMP-tiff:Orientation#=6",
  "-XMP-exif:GPSLatitude=48.858",
  "-XMP-exif:GPSLongitude=2.294",
  "-XMP-aux:SerialNumber=SN-4713",
  "-XMP-photoshop:City=Paris",
  "-XMP-iptcExt:LocationShownCity=Paris",
];
const IPTC = ["-IPTC:CopyrightNotice=(c) Ann in IPTC", "-IPTC:By-line=Ann", "-IPTC:Keywords=bird", "-IPTC:City=Paris"];

/** Undefined when there is ExifTool; or else in words why not. */
let missing: Promise<string | undefined> | undefined;

export function exiftoolMissing(): Promise<string | undefined> {
  missing ??= install();
  return missing;
}

async function install(): Promise<string | undefined> {
  if (existsSync(PATH)) return undefined;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return "there is no ExifTool on this machine";
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, timeout: INSTALL_TIMEOUT_MS };
  try {
    await run("apt-get", ["update", "-q"], options);
    await run("apt-get", ["install", "-q", "-y", "--no-install-recommends", "libimage-exiftool-perl"], options);
  } catch {
    return "apt-get could not install ExifTool";
  }
  return existsSync(PATH) ? undefined : "the package brought no ExifTool";
}

/** One that reads file after file, since to start costs it more than to read; it answers one question at a time. */
let reading: Reading | undefined;
let last: Promise<unknown> = Promise.resolve();

interface Reading {
  readonly ask: (text: string) => void;
  readonly lines: AsyncIterator<string>;
  readonly end: () => void;
}

const READY = "{ready}";

/** All tags of a file by group and name, values as they are stored, in JSON. */
export async function tagsOf(file: Buffer): Promise<string> {
  const path = join(tmpdir(), `tags-${crypto.randomUUID()}`);
  await writeFile(path, file);
  try {
    const answer = last.then(() => answerTo(["-j", "-G1", "-a", "-u", "-n", "-ee", path]));
    last = answer.catch(() => undefined);
    const [tags = {}] = JSON.parse(await answer) as Record<string, unknown>[];
    if ("ExifTool:Error" in tags) throw new Error(String(tags["ExifTool:Error"]));
    return JSON.stringify(tags);
  } finally {
    await rm(path, { force: true });
  }
}

async function answerTo(options: readonly string[]): Promise<string> {
  reading ??= startReading();
  reading.ask([...options, "-execute", ""].join("\n"));
  const lines: string[] = [];
  for (;;) {
    const { value, done } = await reading.lines.next();
    if (done) throw new Error("ExifTool ended");
    if (value === READY) return lines.join("\n");
    lines.push(value);
  }
}

function startReading(): Reading {
  const child = spawn(PATH, ["-stay_open", "True", "-@", "-"], { stdio: ["pipe", "pipe", "ignore"] });
  return {
    ask: (text) => void child.stdin.write(text),
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    end: () => void child.stdin.end("-stay_open\nFalse\n"),
  };
}

/** Ends what reads file after file. */
export function endReading(): void {
  reading?.end();
  reading = undefined;
}

/** The file with one tag of each kind; IPTC where files of its format have a place for it. */
export function tagged(file: Buffer, hasIptc: boolean): Promise<Buffer> {
  // A bare codestream gets boxes around it, which needs to be allowed (-m).
  return piped([...TAGS, ...(hasIptc ? IPTC : []), "-q", "-m", "-"], file);
}

function piped(options: readonly string[], input: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(PATH, options, { stdio: ["pipe", "pipe", "pipe"] });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => output.push(piece));
    child.stderr.on("data", (piece: Buffer) => errors.push(piece));
    child.on("error", reject);
    child.on("close", (status) => {
      if (status === 0) resolve(Buffer.concat(output));
      else reject(new Error(Buffer.concat(errors).toString()));
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
