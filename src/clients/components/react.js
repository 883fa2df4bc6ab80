/** The component of React: `<DarkroomImage place={place} src="/harbor.jpg" alt="" width={640} height={480} />`. */
import { imageAttributes } from "@darkroom-images/client/attributes";
import { createElement } from "react";

/** @import { ImgHTMLAttributes, ReactElement } from "react" */
/** @import { PictureOptions } from "@darkroom-images/client/attributes" */
/** @import { Place } from "@darkroom-images/client/image-url" */

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
export function DarkroomImage({
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
}) {
  const picture = { src, alt, width, height, layout, widths, sizes, placeholder, priority, options };
  const { srcset, fetchpriority, style, ...attributes } = imageAttributes(place, picture);
  return createElement("img", {
    ...attributes,
    srcSet: srcset,
    ...(fetchpriority && { fetchPriority: fetchpriority }),
    ...others,
    style: { ...style, ...others.style },
  });
}
