/** HEIC files as Apple's phones write them, with a gain map as an auxiliary picture. */
import { ascii, fullBox, uint32 } from "../../src/image/formats/heif/boxes.ts";
import { copiedItems, neededBy } from "../../src/image/formats/heif/copy.ts";
import { readItems } from "../../src/image/formats/heif/items.ts";
import { itemPieces, type WrittenItem } from "../../src/image/formats/heif/write.ts";
import { joined } from "../../src/joined.ts";

/** What is said of the map and of the picture. */
interface Said {
  readonly xmp?: string;
  readonly exif?: Uint8Array;
}

/** @param files of a picture and of its map, neither of them a grid */
export function ofApple(files: readonly [picture: Uint8Array, map: Uint8Array], { xmp, exif }: Said): Uint8Array {
  const [picture, map] = files.map((file) => {
    const items = readItems(file);
    return copiedItems(items, neededBy(items, items.primary)).items[0];
  });
  if (!picture || !map) throw new Error("there is nothing to show");
  const kind = "urn:com:apple:photo:2020:aux:hdrgainmap\0";
  const auxC = { box: fullBox("auxC", 0, 0, ascii(kind)), essential: false };
  const items: WrittenItem[] = [picture, { ...map, properties: [...map.properties, auxC] }];
  const references = [{ type: "auxl", from: 2, to: [1] }];
  const describe = (item: Pick<WrittenItem, "type" | "contentType" | "data">, of: number) => {
    references.push({ type: "cdsc", from: items.push({ ...item, hidden: true, properties: [] }), to: [of] });
  };
  if (xmp !== undefined) describe({ type: "mime", contentType: "application/rdf+xml", data: ascii(xmp) }, 2);
  if (exif) describe({ type: "Exif", data: joined([uint32(0), exif]) }, 1);
  return joined(itemPieces(["heic", "mif1"], { items, references, primary: 1 }));
}

export const appleXmp = (said: string) =>
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/">' +
  `<HDRGainMap:HDRGainMapVersion>65536</HDRGainMap:HDRGainMapVersion>${said}</rdf:Description></rdf:RDF></x:xmpmeta>`;
