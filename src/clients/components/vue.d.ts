/** Types of vue.js. */
import type { PictureOptions } from "@darkroom-images/client/attributes";
import type { Place } from "@darkroom-images/client/image-url";
import type { FunctionalComponent } from "vue";

/** A picture; whatever else the tag has goes to the `<img>`. */
export type DarkroomImageProps = PictureOptions & { place: Place & { widths?: readonly number[] } };
export declare const DarkroomImage: FunctionalComponent<DarkroomImageProps>;
