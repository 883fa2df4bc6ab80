/** The signers that the documentation shows, run by the programs of their languages. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Signer {
  /** A call that succeeds where the language is on this machine. */
  readonly probe: readonly [program: string, ...args: readonly string[]];
  /** Files of a program that prints what its arguments, key, salt and addresses, are signed as. */
  readonly files: (code: string) => Readonly<Record<string, string>>;
  readonly start: readonly [program: string, ...args: readonly string[]];
}

const LANGUAGES = {
  python: {
    probe: ["python3", "--version"],
    files: (code) => ({
      "show.py": `${code}\nimport sys\nfor url in sys.argv[3:]: print(sign_url(sys.argv[1], sys.argv[2], url))\n`,
    }),
    start: ["python3", "show.py"],
  },
  php: {
    probe: ["php", "--version"],
    files: (code) => ({
      "show.php": `<?php\n${code}\nforeach (array_slice($argv, 3) as $url) echo sign_url($argv[1], $argv[2], $url), "\\n";\n`,
    }),
    start: ["php", "show.php"],
  },
  ruby: {
    probe: ["ruby", "--version"],
    files: (code) => ({
      "show.rb": `${code}\nARGV.drop(2).each { |url| puts sign_url(ARGV[0], ARGV[1], url) }\n`,
    }),
    start: ["ruby", "show.rb"],
  },
  go: {
    probe: ["go", "version"],
    files: (code) => ({
      "go.mod": "module show\n\ngo 1.18\n",
      "sign.go": `package main\n\n${code}\n`,
      "show.go": `package main

import (
	"fmt"
	"os"
)

func main() {
	for _, url := range os.Args[3:] {
		signed, err := SignURL(os.Args[1], os.Args[2], url)
		if err != nil {
			panic(err)
		}
		fmt.Println(signed)
	}
}
`,
    }),
    start: ["go", "run", "."],
  },
} as const satisfies Readonly<Record<string, Signer>>;

export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];

export interface Pair {
  readonly key: string;
  readonly salt: string;
}

/** The programs of the documentation that send a file, with what prints the answer to one of their requests. */
const SENDERS = {
  python: [
    "send.py",
    (code: string) =>
      `${code}\nimport sys\nprint(json.dumps(optimize(*sys.argv[1:4], resize={"width": int(sys.argv[4])})))\n`,
  ],
  php: [
    "send.php",
    (code: string) =>
      `<?php\n${code}\necho json_encode(optimize($argv[1], $argv[2], $argv[3], ['resize' => ['width' => (int) $argv[4]]]));\n`,
  ],
} as const;

/**
 * What a program of the documentation makes of a file at a width.
 * @param page the page that has it
 * @throws Error with what the program says, where it fails
 */
export async function sentIn(
  language: keyof typeof SENDERS,
  page: string,
  request: { readonly service: string; readonly key: string; readonly path: string; readonly width: number },
): Promise<unknown> {
  const code = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1];
  if (code === undefined) throw new Error(`The page has no program in ${language}`);
  const [name, program] = SENDERS[language];
  const folder = await mkdtemp(join(tmpdir(), "sender-"));
  try {
    await writeFile(join(folder, name), program(code));
    const [start] = LANGUAGES[language].probe;
    const { service, key, path, width } = request;
    const { stdout } = await run(start, [join(folder, name), service, key, path, String(width)]);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a language's program is on this machine. */
export async function hasLanguage(language: Language): Promise<boolean> {
  const [program, ...args] = LANGUAGES[language].probe;
  return run(program, args).then(
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
  const [, code] = new RegExp(`\n\`\`\`${language}\n([^]*?sign_?url[^]*?)\n\`\`\``, "i").exec(page) ?? [];
  if (code === undefined) throw new Error(`The documentation signs nothing in ${language}`);
  const folder = await mkdtemp(join(tmpdir(), "signer-"));
  try {
    for (const [name, text] of Object.entries(LANGUAGES[language].files(code))) {
      await writeFile(join(folder, name), text);
    }
    const [program, ...args] = LANGUAGES[language].start;
    const { stdout } = await run(program, [...args, key, salt, ...urls], { cwd: folder, maxBuffer: 2 ** 24 });
    return stdout.trimEnd().split("\n");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
