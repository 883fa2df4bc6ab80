/** Programs of the documentation, as the files that a reader would make of them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
/** Where the documentation says that pictures are, and pages of a site. */
const DELIVERY = "https://darkroom.example.com/i/dl_7Kq2mZxA4bLkP0sV";
const NEXT_DELIVERY = DELIVERY.replace("/i/", "/next/");
const SERVICE = "https://darkroom.example.com";
const SITE = "https://www.example.com";
const PICTURE = "/harbor.jpg";

/** What is there in place of what the documentation names. */
export interface Places {
  readonly service: string;
  /** The address of a delivery, whose originals are below the service. */
  readonly delivery: string;
  /** The path of a picture there. */
  readonly picture: string;
}

/**
 * The first program of a page that has these words.
 * @param page its name, without the ending
 * @throws Error where there is none
 */
export async function programOf(page: string, language: string, words: string): Promise<string> {
  const text = await readFile(join(ROOT, "src", "docs", `${page}.md`), "utf8");
  const programs = [...text.matchAll(/^```(\w+)[^\n]*\n([^]*?)^```$/gm)];
  const found = programs.find(([, spoken, program = ""]) => spoken === language && program.includes(words));
  if (!found?.[2]) throw new Error(`${page}.md has no program in ${language} with "${words}"`);
  return found[2];
}

/** The program with addresses that lead to a service which is there. */
export function placed(program: string, { service, delivery, picture }: Places): string {
  return program
    .replaceAll(DELIVERY, delivery)
    .replaceAll(NEXT_DELIVERY, delivery.replace("/i/", "/next/"))
    .replaceAll(SERVICE, service)
    .replaceAll(`${SITE}/photo.jpg`, service + picture)
    .replaceAll(SITE, service)
    .replaceAll(PICTURE, picture);
}

/** A folder of these files in which the packages of this repository are found; it is gone after the work. */
export async function withFiles<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const parent = join(ROOT, ".wrangler");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "programs-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
