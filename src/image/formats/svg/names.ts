/** Elements and attributes of SVG that a drawing may keep, by their exact names (SVG 1.1 and 2, Filter Effects 1). */
import { PRESENTATION } from "./css-names.ts";

const words = (text: string) => text.trim().split(/\s+/);

export const ANIMATIONS: ReadonlySet<string> = new Set(["animate", "animateMotion", "animateTransform", "set"]);
/** Elements in which blanks are drawn, or matter to readers. */
export const TEXT: ReadonlySet<string> = new Set(["text", "tspan", "tref", "textPath", "title", "desc"]);
/** HTML parses what is in these as HTML, even within SVG: they keep text only. */
export const TEXT_ONLY: ReadonlySet<string> = new Set(["title", "desc"]);

const PRIMITIVES = words(`
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`);

export const ELEMENTS: ReadonlySet<string> = new Set([
  ...ANIMATIONS,
  ...TEXT,
  ...PRIMITIVES,
  ...words(`
    a circle clipPath defs ellipse filter g image line linearGradient marker mask mpath path pattern polygon polyline
    radialGradient rect stop style svg switch symbol use view`),
]);

/** Attributes that an animation may set besides properties. */
const GEOMETRY = words(`
  amplitude azimuth baseFrequency bias cx cy d diffuseConstant divisor dx dy edgeMode elevation exponent fr fx fy
  gradientTransform gradientUnits height in in2 intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength lengthAdjust
  limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits method mode numOctaves offset
  operator order orient pathLength patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY
  pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY result rotate rx ry scale seed side
  slope spacing specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale
  tableValues targetX targetY textLength transform type values viewBox width x x1 x2 xChannelSelector y y1 y2
  yChannelSelector z clipPathUnits filterUnits filterRes`);

export const ANIMATED: ReadonlySet<string> = new Set([...PRESENTATION, ...GEOMETRY]);

export const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...ANIMATED,
  ...words(`
    accumulate additive attributeName attributeType azimuth begin by calcMode class dur end fill from id keyPoints
    keySplines keyTimes lang max media min origin path repeatCount repeatDur requiredExtensions requiredFeatures restart
    role style systemLanguage to version viewTarget zoomAndPan
    aria-describedby aria-hidden aria-label aria-labelledby font`),
]);

/** Attributes whose values are read as CSS. */
export const STYLED: ReadonlySet<string> = new Set([
  ...PRESENTATION,
  ...words("by font from gradientTransform patternTransform to transform values"),
]);

/** Values of animations: several, with semicolons between them. */
export const LISTS: ReadonlySet<string> = new Set(["values"]);

/** Letters of a value, but of those that hold pictures, points, styles and lists of numbers. */
export const MAX_VALUE_LETTERS = 1 << 16;
export const LONG: ReadonlySet<string> = new Set(
  words("d points style href xlink:href values path keyTimes kernelMatrix tableValues x y dx dy rotate"),
);
