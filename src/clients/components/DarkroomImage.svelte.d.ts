/** Types of DarkroomImage.svelte. */
import type { PictureOptions } from "@darkroom-images/client/attributes";
import type { Place } from "@darkroom-images/client/image-url";
import type { Component } from "svelte";
import type { HTMLImgAttributes } from "svelte/elements";

/** A picture, and whatever else an `<img>` takes; `style` is laid over the component's own. */
export type DarkroomImageProps = PictureOptions & { place: Place & { widths?: readonly number[] } } & Omit<
    HTMLImgAttributes,
    keyof PictureOptions | "srcset" | "loading" | "decoding"
  >;
declare const DarkroomImage: Component<DarkroomImageProps>;
export default DarkroomImage;
