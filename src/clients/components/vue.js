/** The component of Vue: `<DarkroomImage :place="place" src="/harbor.jpg" alt="" :width="640" :height="480" />`. */
import { imageAttributes } from "@darkroom-images/client/attributes";
import { h } from "vue";

/**
 * An `<img>` with candidates, on servers and in browsers alike. Classes, styles and listeners of the tag are laid over it.
 * @type {import("vue").FunctionalComponent<import("./vue.d.ts").DarkroomImageProps>}
 */
export const DarkroomImage = ({ place, ...picture }) => h("img", imageAttributes(place, picture));
DarkroomImage.displayName = "DarkroomImage";
DarkroomImage.props = {
  place: { type: Object, required: true },
  src: { type: [String, URL], required: true },
  alt: { type: String, required: true },
  width: { type: Number, required: true },
  height: { type: Number, required: true },
  layout: String,
  widths: Array,
  sizes: String,
  placeholder: String,
  priority: Boolean,
  options: Object,
};
