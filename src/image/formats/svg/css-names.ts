/** Properties, functions and rules of style sheets that a drawing may keep. */

const words = (text: string) => text.trim().split(/\s+/);

/** Properties that are attributes as well (SVG 2, section 6.6), and shorthands of them. */
export const PRESENTATION: ReadonlySet<string> = new Set(
  words(`
    alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
    color-rendering direction display dominant-baseline enable-background fill fill-opacity fill-rule filter flood-color
    flood-opacity font-family font-kerning font-size font-size-adjust font-stretch font-style font-variant font-weight
    glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning letter-spacing
    lighting-color marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow paint-order
    pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
    stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-overflow
    text-rendering transform-box transform-origin unicode-bidi vector-effect visibility white-space word-spacing
    writing-mode`),
);

/** Properties that change how a drawing looks or moves, and nothing around it. */
const MORE_PROPERTIES = words(`
  all animation animation-delay animation-direction animation-duration animation-fill-mode animation-iteration-count
  animation-name animation-play-state animation-timing-function backface-visibility background background-color
  border border-bottom border-color border-left border-radius border-right border-style border-top border-width color-scheme cx cy d font font-feature-settings font-optical-sizing font-synthesis font-variant-caps
  font-variant-east-asian font-variant-ligatures font-variant-numeric font-variant-position font-variation-settings
  forced-color-adjust height inline-size line-height marker max-height max-width min-height min-width
  offset-distance offset-path offset-rotate padding perspective perspective-origin print-color-adjust r rotate rx ry scale
  shape-inside shape-margin shape-padding stroke-alignment tab-size text-align text-align-last text-decoration-color
  text-decoration-line text-decoration-style text-decoration-thickness text-emphasis text-indent text-orientation
  text-shadow text-transform text-underline-offset transform transform-style transition transition-delay
  transition-duration transition-property transition-timing-function translate width will-change x y
  -webkit-animation -webkit-clip-path -webkit-filter -webkit-mask -webkit-transform -webkit-transform-origin`);

export const PROPERTIES: ReadonlySet<string> = new Set([...PRESENTATION, ...MORE_PROPERTIES]);

/** Functions in values; none of them loads anything. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  words(`
    rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark icc-color var calc min max clamp abs round mod
    rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp sign
    matrix matrix3d translate translate3d translatex translatey translatez scale scale3d scalex scaley scalez rotate
    rotate3d rotatex rotatey rotatez skew skewx skewy perspective
    blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
    circle ellipse inset polygon path rect xywh shape ray cubic-bezier steps linear linear-gradient radial-gradient
    conic-gradient repeating-linear-gradient repeating-radial-gradient`),
);

/** Functions in selectors. */
export const SELECTOR_FUNCTIONS: ReadonlySet<string> = new Set(
  words("is not where has lang dir nth-child nth-last-child nth-of-type nth-last-of-type"),
);

/** Rules that hold rules: those for some media, and those that apply where a browser knows a property. */
export const GROUP_RULES: ReadonlySet<string> = new Set(["media", "supports", "layer"]);
/** Rules that hold what an animation is made of. */
export const KEYFRAME_RULES: ReadonlySet<string> = new Set(["keyframes", "-webkit-keyframes"]);
