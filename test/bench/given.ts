/** Pictures that a bench cannot bring along: the environment names them. */

const WHAT = {
  PHOTOS: 'PHOTOS="a.jpg …"',
  FACES: 'FACES="folder …"',
  UNCOUNTED: 'UNCOUNTED="folder of modules that do not count"',
  PICTURES: 'PICTURES="a.avif b.svg …"',
  IMAGES: 'IMAGES="folder"',
  SUBJECTS: 'SUBJECTS="folder …"',
  LEARNED: 'LEARNED="folder"',
  SSIMULACRA2: 'SSIMULACRA2="path of the tool of libjxl"',
} as const;

/** A bench cannot run with what it was given; the message says what it wants. */
export class NotGiven extends Error {}

/** Those of the words that a variable of the environment names, or all of them. */
export function chosen<Word extends string>(variable: string, all: readonly Word[]): Word[] {
  const named: readonly string[] = (process.env[variable] ?? all.join(" ")).split(" ");
  return all.filter((word) => named.includes(word));
}

/**
 * The paths that a variable of the environment names, with blanks between them.
 * @throws NotGiven when there are none
 */
export function given(variable: keyof typeof WHAT): readonly [string, ...string[]] {
  const [first, ...others] = (process.env[variable] ?? "").split(" ").filter(Boolean);
  if (first === undefined) throw new NotGiven(WHAT[variable]);
  return [first, ...others];
}
