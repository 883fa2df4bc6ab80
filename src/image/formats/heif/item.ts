/** What the items of a HEIF file are once they are read, wherever the file describes them. */
import type { Box } from "./bytes.ts";

export interface Item {
  readonly id: number;
  /** Four characters: `hvc1`, `av01`, `grid`, `Exif`. */
  readonly type: string;
  /** The boxes that describe it, in the order in which they apply. */
  readonly properties: readonly Box[];
  /** The type of a property that a reader has to understand, and this one does not; absent where there is none. */
  readonly unknown?: string | undefined;
}

export interface Reference {
  /** Four characters: `dimg`, `auxl`, `thmb`, `cdsc`, `prem`. */
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

export interface Items {
  readonly primary: Item;
  /** @throws ApiError 422 when there is none */
  item(id: number): Item;
  readonly references: readonly Reference[];
  /**
   * The items, by their numbers, that may be shown in place of another one.
   * @throws ApiError 422 when what says so is damaged, which does no harm to the picture
   */
  preferredTo(other: number): ReadonlySet<number>;
  /** Bytes of an item, none of which is read. @throws ApiError 422 when they are not there */
  length(item: Item): number;
  /** The bytes of an item; a view of the file unless it lies in pieces. @throws ApiError 422 when they are not there */
  data(item: Item): Uint8Array;
  /** Counts bytes that a reference leads to. @throws ApiError 422 when references lead to more than the file warrants */
  countReading(bytes: number): void;
}
