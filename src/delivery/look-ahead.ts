/**
 * A look into the bucket that begins while the database is asked what the delivery is now: each is a trip. What is found
 * counts if the answer of the database leads to the same name.
 */
import { findResult, type StoredResult } from "./results.ts";

interface Looked {
  readonly key: string;
  readonly stored: StoredResult | undefined;
}

export class LookAhead {
  private looking: Promise<Looked | undefined> | undefined;

  /** @param name of the result, by what the delivery was lately; undefined: it need not be looked for */
  begin(bucket: R2Bucket, name: () => Promise<string | undefined>): void {
    const look = async (): Promise<Looked | undefined> => {
      const key = await name();
      return key === undefined ? undefined : { key, stored: await findResult(bucket, key) };
    };
    // What fails here is said where it is done in earnest.
    this.looking = look().catch(() => undefined);
  }

  /** The result of this name, as it was found ahead, or else as it is found now. */
  async find(bucket: R2Bucket, key: string): Promise<StoredResult | undefined> {
    const looked = await this.looking;
    if (looked?.key === key) {
      this.looking = undefined;
      return looked.stored;
    }
    return findResult(bucket, key);
  }

  /** Gives up what was found and not asked for. */
  async drop(): Promise<void> {
    const looked = await this.looking;
    this.looking = undefined;
    await looked?.stored?.object.body.cancel();
  }
}
