/** Native work that is done piece by piece, so that whoever runs it can let others work in between. */

/** Yields how many milliseconds the piece took that was just done, and returns the result of all of them. */
export type Pieces<Result> = Generator<number, Result, void>;
