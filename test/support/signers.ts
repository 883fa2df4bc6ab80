/** The signers that the documentation shows, and the signatures that it says are right. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

const LANGUAGES = {
  python: {
    program: "python3",
    option: "-c",
    show: "import sys\nfor url in sys.argv[3:]: print(sign_url(sys.argv[1], sys.argv[2], url))",
    before: [],
  },
  php: {
    program: "php",
    option: "-r",
    show: 'foreach (array_slice($argv, 3) as $url) echo sign_url($argv[1], $argv[2], $url), "\\n";',
    before: ["--"],
  },
} as const;

export type Language = keyof typeof LANGUAGES;

export interface Pair {
  readonly key: string;
  readonly salt: string;
}

/** Whether a language's program is on this machine. */
export async function hasLanguage(language: Language): Promise<boolean> {
  return run(LANGUAGES[language].program, ["--version"]).then(
    () => true,
    () => false,
  );
}

/** Addresses as the function of a page signs them. */
export async function signedIn(
  language: Language,
  page: string,
  { key, salt }: Pair,
  urls: readonly string[],
): Promise<string[]> {
  const { program, option, show, before } = LANGUAGES[language];
  const [, code] = new RegExp(`\n\`\`\`${language}\n([^]*?sign_url[^]*?)\n\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`The documentation signs nothing in ${language}`);
  const { stdout } = await run(program, [option, `${code}\n${show}`, ...before, key, salt, ...urls]);
  return stdout.trimEnd().split("\n");
}
