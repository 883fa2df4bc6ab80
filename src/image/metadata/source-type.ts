/**
 * The mark of synthetic pictures: the property `Iptc4xmpExt:DigitalSourceType` of XMP, whose values are a vocabulary of the IPTC
 * (https://cv.iptc.org/newscodes/digitalsourcetype/). IPTC-IIM has no such dataset.
 */
import { propertiesIn, RDF } from "./rdf.ts";

const IPTC_EXTENSION = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/";
export const SOURCE_TYPE = "DigitalSourceType";

/** The last part of the values that say that all of a picture, or some of it, was made or changed by an algorithm. */
const SYNTHETIC: ReadonlySet<string> = new Set([
  "trainedAlgorithmicMedia",
  "compositeWithTrainedAlgorithmicMedia",
  "algorithmicMedia",
  "algorithmicallyEnhanced",
  "compositeSynthetic",
  "dataDrivenMedia",
  "virtualRecording",
  "trainedAlgorithmicData",
]);

const MAX_VALUE_CHARACTERS = 200;
/** Bytes of a packet that is searched though it cannot be read as XML. */
const MAX_SEARCHED_BYTES = 4 << 20;
/** The property as an attribute or an element, whatever its prefix, and its value. */
const WRITTEN =
  /[\w.-]+:DigitalSourceType(?:\s*=\s*["']|[^<>"']{0,200}(?:["'][^<>"']{0,200}["'])?\s*\/?>\s*)([^"'<>\s]{1,200})/;
const RESOURCE = /:DigitalSourceType\s[^<>]{0,200}resource\s*=\s*["']([^"'<>\s]{1,200})/;

/** Whether a digital source type, in full or by its last part, says that a picture is synthetic. */
export function isSynthetic(sourceType: string): boolean {
  return SYNTHETIC.has(sourceType.trim().replace(/^.*[/:#]/s, ""));
}

/** Whether a name in a namespace is that of the mark. */
export function isSourceType(namespace: string, name: string): boolean {
  return namespace === IPTC_EXTENSION && name === SOURCE_TYPE;
}

/**
 * The digital source type that an XMP packet (ISO 16684-1) states; undefined where it states none. A packet that is damaged, or
 * larger than packets that are kept, is searched for the words: a mark must not be lost with what surrounds it.
 */
export function sourceTypeIn(packet: Uint8Array): string | undefined {
  const stated = propertiesIn(packet, IPTC_EXTENSION).get(SOURCE_TYPE) ?? [];
  const value = stated.find(isSynthetic) ?? stated[0];
  if (value) return value;
  const text = new TextDecoder().decode(packet.subarray(0, MAX_SEARCHED_BYTES));
  return RESOURCE.exec(text)?.[1] ?? WRITTEN.exec(text)?.[1];
}

/** A packet that states a digital source type and nothing else. */
export function packetOf(sourceType: string): Uint8Array {
  return new TextEncoder().encode(
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
      `<rdf:RDF xmlns:rdf="${RDF}">${markDescription(sourceType)}</rdf:RDF></x:xmpmeta><?xpacket end="r"?>`,
  );
}

/** A description, as an element of RDF, that states a digital source type. */
export function markDescription(sourceType: string): string {
  // Nothing that could end the attribute; values are addresses.
  const value = sourceType.replaceAll(/[^\w:/.#?=%-]/g, "").slice(0, MAX_VALUE_CHARACTERS);
  return (
    `<rdf:Description xmlns:rdf="${RDF}" rdf:about="" xmlns:Iptc4xmpExt="${IPTC_EXTENSION}"` +
    ` Iptc4xmpExt:${SOURCE_TYPE}="${value}"/>`
  );
}
