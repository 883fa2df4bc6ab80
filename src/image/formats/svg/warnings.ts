/** What of a drawing is not drawn as it says, in words for people; each is told once. */

/** More than these are not told. */
const MAX_WARNINGS = 20;

export class Warnings {
  private readonly found = new Set<string>();

  add(what: string): void {
    if (this.found.size < MAX_WARNINGS) this.found.add(what);
  }

  all(): readonly string[] {
    return [...this.found];
  }
}
