/** The only writer of log lines: one JSON object a line. */

/** What is worth knowing of an error: its kind and words, without what a URL may carry, and where it happened. */
interface Cause {
  readonly name: string;
  readonly message: string;
  readonly at?: string;
}

/** Errors nest; a chain longer than this says nothing more. */
const MAX_CAUSES = 5;
const MAX_MESSAGE_CHARACTERS = 300;
/** What is looked through of a message: the time for it goes with the square of its length. */
const MAX_READ_CHARACTERS = 2_000;

const METHODS = { info: "log", warning: "warn", error: "error" } as const;

export function logLine(level: keyof typeof METHODS, line: Readonly<Record<string, unknown>>): void {
  console[METHODS[level]](JSON.stringify(line));
}

/** An error and its causes, outermost first. */
export function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  for (let cause = error; cause !== undefined && causes.length < MAX_CAUSES;) {
    if (!(cause instanceof Error)) {
      causes.push({ name: typeof cause, message: "not an Error" });
      break;
    }
    const at = /^ {1,8}at .*$/m.exec(cause.stack ?? "")?.[0]?.trim();
    causes.push({ name: cause.name, message: redact(cause.message), ...(at && { at }) });
    cause = cause.cause;
  }
  return causes;
}

/** Addresses carry credentials, and quoted text is often what was received: parsers repeat it in their messages. */
function redact(message: string): string {
  // A quotation whose end was cut off ends with what is left.
  const quoted = message.length > MAX_READ_CHARACTERS ? /["'`].*$/s : /(["'`]).*\1/gs;
  return message
    .slice(0, MAX_READ_CHARACTERS)
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, "<url>")
    .replace(quoted, "<text>")
    .slice(0, MAX_MESSAGE_CHARACTERS);
}
