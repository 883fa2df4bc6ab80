/** Types of react.js. */
import type { PictureOptions } from "@darkroom-images/client/attributes";
import type { Place } from "@darkroom-images/client/image-url";
import type { ImgHTMLAttributes, ReactElement } from "react";
export type DarkroomImageProps = PictureOptions & {
  place: Place & {
    widths?: readonly number[];
  };
} & Omit<ImgHTMLAttributes<HTMLImageElement>, keyof PictureOptions | "srcSet" | "loading" | "decoding">;
/**
 * A picture, and whatever else an `<img>` takes; `style` is laid over the component's own.
 * @typedef {PictureOptions & { place: Place & { widths?: readonly number[] } }
 *   & Omit<ImgHTMLAttributes<HTMLImageElement>, keyof PictureOptions | "srcSet" | "loading" | "decoding">} DarkroomImageProps
 */
/**
 * An `<img>` with candidates, on servers and in browsers alike. Nothing of it waits for a script: a placeholder is its
 * background, which the picture covers.
 * @param {DarkroomImageProps} props
 * @returns {ReactElement}
 */
export declare function DarkroomImage({
  place,
  src,
  alt,
  width,
  height,
  layout,
  widths,
  sizes,
  placeholder,
  priority,
  options,
  ...others
}: DarkroomImageProps): ReactElement;
