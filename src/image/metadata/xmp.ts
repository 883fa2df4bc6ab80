/** What is kept of an XMP packet (ISO 16684-1): its properties by namespace and name, everything else as it is. */
import { XmlElement, XmlText } from "@rgrove/parse-xml";

import type { MetadataOption } from "./metadata-option.ts";
import {
  declaredIn,
  elementsOf,
  isDeclaration,
  isNamed,
  type Name,
  type Prefixes,
  RDF,
  rdfIn,
  resolved,
  XML,
} from "./rdf.ts";
import { isSourceType, isSynthetic, markDescription, packetOf, SOURCE_TYPE, sourceTypeIn } from "./source-type.ts";

const DC = "http://purl.org/dc/elements/1.1/";
const TIFF = "http://ns.adobe.com/tiff/1.0/";
const EXIF = "http://ns.adobe.com/exif/1.0/";
const XMP = "http://ns.adobe.com/xap/1.0/";
const PHOTOSHOP = "http://ns.adobe.com/photoshop/1.0/";

/** Namespaces in which everything speaks of rights. */
const RIGHTS: ReadonlySet<string> = new Set([
  "http://ns.adobe.com/xap/1.0/rights/",
  "http://ns.useplus.org/ldf/xmp/1.0/",
  "http://creativecommons.org/ns#",
]);
const RIGHTS_PROPERTIES: ReadonlySet<string> = new Set([
  `${DC}rights`,
  `${DC}creator`,
  `${DC}description`,
  `${PHOTOSHOP}Credit`,
  `${PHOTOSHOP}Source`,
  `${PHOTOSHOP}AuthorsPosition`,
]);

/** Namespaces of what follows the picture in its file, and stays behind: more XMP, gain maps, films, maps of depth. */
const OTHER_PARTS: ReadonlySet<string> = new Set([
  "http://ns.adobe.com/xmp/note/",
  "http://ns.adobe.com/hdr-gain-map/1.0/",
  "http://ns.apple.com/HDRGainMap/1.0/",
  "http://ns.google.com/photos/1.0/container/",
  "http://ns.google.com/photos/1.0/container/item/",
  "http://ns.google.com/photos/1.0/camera/",
  "http://ns.google.com/photos/1.0/depthmap/",
  "http://ns.google.com/photos/1.0/image/",
]);
const OUTDATED: ReadonlySet<string> = new Set([
  `${TIFF}Orientation`,
  `${TIFF}ImageWidth`,
  `${TIFF}ImageLength`,
  `${TIFF}Compression`,
  `${EXIF}PixelXDimension`,
  `${EXIF}PixelYDimension`,
  `${EXIF}ColorSpace`,
  `${XMP}Thumbnails`,
  `${PHOTOSHOP}ICCProfile`,
  `${PHOTOSHOP}ColorMode`,
]);
/** Where XMP has small pictures of the picture, in whichever structure. */
const GRAPHICS = "http://ns.adobe.com/xap/1.0/g/img/";
/** How JPEG, PNG, WebP and GIF begin as letters of base64, and whatever is told as data. */
const PICTURE = /^\s*(?:data:image\/|\/9j\/|iVBORw0KGg|UklGR|R0lGOD)/;
/** Names that say where a picture was made, or with which device, in any namespace. */
const PLACE_OR_DEVICE =
  /gps|latitude|longitude|altitude|location|geo(?:tag|code|hash|name)|serial|(?:^|[a-z])uniqueid|^(?:city|state|country|countrycode|countryname|provincestate|sublocation|worldregion)$/i;

/** What is kept: as much as a request asks for, and the mark of a synthetic picture unless it is to go. */
interface Kept {
  readonly option: Exclude<MetadataOption, "none">;
  readonly mark: string | undefined;
  readonly dropsMark: boolean;
}
const PACKET_BEGIN = '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>';
const PACKET_END = '<?xpacket end="r"?>';

/**
 * What is kept of a packet; undefined where that is nothing. Of a packet that is damaged nothing is kept but the mark
 * of a synthetic picture, which is kept whatever is asked for.
 * @param dropsMark the mark is to go as well
 */
export function keptXmp(packet: Uint8Array, option: MetadataOption, dropsMark = false): Uint8Array | undefined {
  const stated = dropsMark ? undefined : sourceTypeIn(packet);
  const mark = stated !== undefined && isSynthetic(stated) ? stated : undefined;
  const kept = option === "none" ? undefined : keptProperties(packet, { option, mark, dropsMark });
  return kept ?? (mark === undefined ? undefined : packetOf(mark));
}

/** A packet that states a digital source type besides what it says; alone where there is none, or it is damaged. */
export function withSourceType(packet: Uint8Array | undefined, sourceType: string): Uint8Array {
  const kept = packet && keptProperties(packet, { option: "all", mark: sourceType, dropsMark: false });
  return kept ?? packetOf(sourceType);
}

function keptProperties(packet: Uint8Array, option: Kept): Uint8Array | undefined {
  const found = rdfIn(packet);
  if (!found) return undefined;
  const { rdf, prefixes } = found;
  const descriptions = elementsOf(rdf).map((element) => written(element, prefixes, option));
  const kept = descriptions.filter((description) => description !== "");
  if (option.mark !== undefined && !kept.some((description) => description.includes(SOURCE_TYPE))) {
    kept.push(markDescription(option.mark));
  }
  if (kept.length === 0) return undefined;
  const declarations = [...prefixes].map(([prefix, uri]) => attribute(prefix ? `xmlns:${prefix}` : "xmlns", uri));
  const body = `<${rdf.name}${declarations.join("")}>${kept.join("")}</${rdf.name}>`;
  return new TextEncoder().encode(
    `${PACKET_BEGIN}<x:xmpmeta xmlns:x="adobe:ns:meta/">${body}</x:xmpmeta>${PACKET_END}`,
  );
}

/** A description with the properties that are kept of it, as attributes and as elements; empty without any. */
function written(description: XmlElement, outer: Prefixes, option: Kept): string {
  const prefixes = declaredIn(description, outer);
  if (!isNamed(description, prefixes, RDF, "Description")) return "";
  const own = Object.entries(description.attributes);
  const structure = own.filter(([name]) => isDeclaration(name) || isStructure(name, prefixes));
  const properties = own.filter(
    ([name, value]) => !isDeclaration(name) && keeps(resolved(name, prefixes), option) && !PICTURE.test(value),
  );
  const children = elementsOf(description)
    .filter((element) => keeps(resolved(element.name, declaredIn(element, prefixes)), option))
    .map((element) => writtenValue(element, prefixes, option));
  if (properties.length + children.length === 0) return "";
  return tag(description.name, [...structure, ...properties], children.join(""));
}

/** Names of RDF and of XML itself. */
function isStructure(name: string, prefixes: Prefixes): boolean {
  const found = resolved(name, prefixes);
  return found?.namespace === RDF || found?.namespace === XML;
}

/** Whether a property is kept. */
function keeps(property: Name | undefined, { option, mark, dropsMark }: Kept): boolean {
  if (!property) return false;
  const { namespace, name } = property;
  if (isSourceType(namespace, name) && (dropsMark || mark !== undefined)) return !dropsMark;
  if (namespace === RDF || namespace === XML) return false;
  if (OUTDATED.has(namespace + name) || OTHER_PARTS.has(namespace) || namespace === GRAPHICS) return false;
  if (option === "all") return true;
  if (PLACE_OR_DEVICE.test(name)) return false;
  return option === "no-location" || RIGHTS.has(namespace) || RIGHTS_PROPERTIES.has(namespace + name);
}

/** A property with all of its value but for fields that speak of what is not kept, or show what the original did. */
function writtenValue(element: XmlElement, outer: Prefixes, option: Kept): string {
  const prefixes = declaredIn(element, outer);
  const isField = (name: string, around: Prefixes) => {
    const found = resolved(name, around);
    if (found && (found.namespace === GRAPHICS || OUTDATED.has(found.namespace + found.name))) return false;
    return option.option === "all" || !PLACE_OR_DEVICE.test(name.slice(name.indexOf(":") + 1));
  };
  const attributes = Object.entries(element.attributes).filter(
    ([name, value]) => isDeclaration(name) || (isField(name, prefixes) && !PICTURE.test(value)),
  );
  const children = element.children.map((child) => {
    if (child instanceof XmlText) return PICTURE.test(child.text) ? "" : escaped(child.text);
    const isKept = child instanceof XmlElement && isField(child.name, declaredIn(child, prefixes));
    return isKept ? writtenValue(child, prefixes, option) : "";
  });
  return tag(element.name, attributes, children.join(""));
}

function tag(name: string, attributes: readonly (readonly [string, string])[], content: string): string {
  const written = attributes.map(([own, value]) => attribute(own, value)).join("");
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

function attribute(name: string, value: string): string {
  const quoted = escaped(value).replaceAll('"', "&quot;");
  return ` ${name}="${quoted.replaceAll(/[\t\n]/g, (character) => `&#${character.codePointAt(0)};`)}"`;
}

function escaped(text: string): string {
  const plain = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return plain.replaceAll("\r", "&#13;");
}
