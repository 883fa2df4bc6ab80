/**
 * Gain maps in XMP: the terms of a map in the namespace `hdrgm`, and the directory of the files that follow a picture, as
 * readers before ISO 21496-1 want them (Ultra HDR 1.1; GContainer).
 */
import type { XmlElement } from "@rgrove/parse-xml";

import { declaredIn, elementsOf, type Prefixes, propertiesIn, RDF, rdfIn, resolved } from "../metadata/rdf.ts";
import { areTerms, type ChannelTerms, type GainTerms } from "./terms.ts";

const GAIN_MAP = "http://ns.adobe.com/hdr-gain-map/1.0/";
const CONTAINER = "http://ns.google.com/photos/1.0/container/";
const ITEM = "http://ns.google.com/photos/1.0/container/item/";
const VERSION = "1.0";
/** Decimals of a number: a millionth of a stop is less than any map can hold. */
const DECIMALS = 6;

/** What a packet that says nothing of it means. */
const DEFAULTS = { GainMapMin: 0, Gamma: 1, OffsetSDR: 1 / 64, OffsetHDR: 1 / 64, HDRCapacityMin: 0 } as const;

/** The terms that a packet of a map's file has; undefined where it has none, or none that can be applied. */
export function readTerms(packet: Uint8Array): GainTerms | undefined {
  const properties = propertiesIn(packet, GAIN_MAP);
  if (properties.get("Version")?.[0] !== VERSION) return undefined;
  const number = (name: string, index = 0) => {
    const values = properties.get(name);
    // Where nothing else is said, no default makes a number that can be applied.
    if (!values) return (DEFAULTS as Readonly<Record<string, number>>)[name] ?? Number.NaN;
    return Number.parseFloat(values[Math.min(index, values.length - 1)] ?? "");
  };
  const startsBright = properties.get("BaseRenditionIsHDR")?.[0]?.toLowerCase() === "true";
  const channel = (index: number): ChannelTerms => {
    const offsets = [number("OffsetSDR", index), number("OffsetHDR", index)] as const;
    const [baseOffset, alternateOffset] = startsBright ? [offsets[1], offsets[0]] : offsets;
    return {
      min: number("GainMapMin", index),
      max: number("GainMapMax", index),
      gamma: number("Gamma", index),
      baseOffset,
      alternateOffset,
    };
  };
  const capacities = [number("HDRCapacityMin"), number("HDRCapacityMax")] as const;
  const [baseHeadroom, alternateHeadroom] = startsBright ? [capacities[1], capacities[0]] : capacities;
  const isOne = [...properties.values()].every(({ length }) => length === 1);
  const channels = isOne ? ([channel(0)] as const) : ([channel(0), channel(1), channel(2)] as const);
  const terms = { channels, baseHeadroom, alternateHeadroom, inBaseColors: true };
  return areTerms(terms) ? terms : undefined;
}

/** A packet that says what a map means. */
export function writeTerms({ channels, baseHeadroom, alternateHeadroom }: GainTerms): string {
  const startsBright = baseHeadroom > alternateHeadroom;
  const values: Readonly<Record<string, readonly number[]>> = {
    GainMapMin: channels.map(({ min }) => min),
    GainMapMax: channels.map(({ max }) => max),
    Gamma: channels.map(({ gamma }) => gamma),
    OffsetSDR: channels.map((own) => (startsBright ? own.alternateOffset : own.baseOffset)),
    OffsetHDR: channels.map((own) => (startsBright ? own.baseOffset : own.alternateOffset)),
    HDRCapacityMin: [Math.min(baseHeadroom, alternateHeadroom)],
    HDRCapacityMax: [Math.max(baseHeadroom, alternateHeadroom)],
  };
  let attributes = ` hdrgm:Version="${VERSION}" hdrgm:BaseRenditionIsHDR="${startsBright ? "True" : "False"}"`;
  let lists = "";
  for (const [name, [first = 0, ...others]] of Object.entries(values)) {
    if (others.every((other) => other === first)) attributes += ` hdrgm:${name}="${decimal(first)}"`;
    else {
      const items = [first, ...others].map((value) => `<rdf:li>${decimal(value)}</rdf:li>`).join("");
      lists += `<hdrgm:${name}><rdf:Seq>${items}</rdf:Seq></hdrgm:${name}>`;
    }
  }
  return packetOf(`<rdf:Description rdf:about="" xmlns:hdrgm="${GAIN_MAP}"${attributes}>${lists}</rdf:Description>`);
}

function decimal(value: number): string {
  return String(Number(value.toFixed(DECIMALS)));
}

/** The description of a picture that a map of so many bytes follows. */
function directory(mapBytes: number): string {
  const item = (attributes: string) =>
    `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${attributes}/></rdf:li>`;
  const items = item('Item:Semantic="Primary"') + item(`Item:Semantic="GainMap" Item:Length="${mapBytes}"`);
  const names = `xmlns:rdf="${RDF}" xmlns:hdrgm="${GAIN_MAP}" xmlns:Container="${CONTAINER}" xmlns:Item="${ITEM}"`;
  const seq = `<Container:Directory><rdf:Seq>${items}</rdf:Seq></Container:Directory>`;
  return `<rdf:Description rdf:about="" ${names} hdrgm:Version="${VERSION}">${seq}</rdf:Description>`;
}

function packetOf(descriptions: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">${descriptions}</rdf:RDF></x:xmpmeta>`;
}

/**
 * A packet that says that a map of so many bytes follows the picture.
 * @param kept what the picture's file says already: a packet as this service writes it
 */
export function withDirectory(kept: string | undefined, mapBytes: number): string {
  if (kept === undefined) return packetOf(directory(mapBytes));
  const end = kept.lastIndexOf("</", kept.lastIndexOf("</x:xmpmeta>") - 1);
  return kept.slice(0, end) + directory(mapBytes) + kept.slice(end);
}

/** How many bytes from the end of a file its gain map begins and has, by the directory of the picture; undefined without one. */
export function directoryEntry(packet: Uint8Array): { readonly fromEnd: number; readonly length: number } | undefined {
  const found = rdfIn(packet);
  if (!found) return undefined;
  const items = itemsBelow(found.rdf, found.prefixes);
  const index = items.findIndex(({ semantic }) => semantic === "GainMap");
  const length = items[index]?.length;
  if (!length) return undefined;
  return { length, fromEnd: items.slice(index).reduce((sum, item) => sum + item.length, 0) };
}

function itemsBelow(element: XmlElement, outer: Prefixes): { readonly semantic: string; readonly length: number }[] {
  const prefixes = declaredIn(element, outer);
  const valueOf = (wanted: string) =>
    Object.entries(element.attributes).find(([name]) => {
      const own = resolved(name, prefixes);
      return own?.namespace === ITEM && own.name === wanted;
    })?.[1];
  const semantic = valueOf("Semantic");
  const own = semantic === undefined ? [] : [{ semantic, length: Math.max(0, Number(valueOf("Length") ?? 0) || 0) }];
  return [...own, ...elementsOf(element).flatMap((child) => itemsBelow(child, prefixes))];
}
