/**
 * Compiles cascades of boosted Haar features, in OpenCV's XML, into tables in C:
 * `node compile-cascades.ts OUT.h NAME=FILE.xml…`. Fails on what cascade.h cannot say.
 */
import { readFileSync, writeFileSync } from "node:fs";

/** OpenCV lowers the threshold of every stage by this when it loads a cascade. */
const THRESHOLD_MARGIN = 1e-5;

type Rectangle = readonly [x: number, y: number, width: number, height: number, weight: number];

function compile(name: string, xml: string): string {
  const [xmlStages = "", xmlFeatures = ""] = xml.split(/<features>/);
  const features = [...xmlFeatures.matchAll(/<rects>(.*?)<\/rects>/gs)].map(([, rects = ""]) =>
    [...rects.matchAll(/<_>(.*?)<\/_>/gs)].map(([, rect]) => numbers(rect) as unknown as Rectangle),
  );
  const nodes: string[] = [];
  const stages: string[] = [];
  for (const [, threshold, body = ""] of xmlStages.matchAll(
    /<stageThreshold>(.*?)<\/stageThreshold>\s*<weakClassifiers>(.*?)<\/weakClassifiers>/gs,
  )) {
    const trees = [...body.matchAll(/<internalNodes>(.*?)<\/internalNodes>\s*<leafValues>(.*?)<\/leafValues>/gs)];
    stages.push(`{${trees.length}, ${float(Number(threshold) - THRESHOLD_MARGIN)}}`);
    for (const [, inner, leaves] of trees) nodes.push(...tree(numbers(inner), numbers(leaves), features));
  }
  const tilted = /<tilted>1/.test(xml);
  const side = Number(/<width>(\d+)<\/width>/.exec(xml)?.[1]);
  if (tilted || stages.length === 0 || xml.includes("LBP")) throw new Error(`${name}: not of the expected kind`);
  return `static const Node ${name}_nodes[] = {\n${nodes.join(",\n")}};
static const StageOfCascade ${name}_stages[] = {${stages.join(", ")}};
static const Cascade ${name} = {${side}, ${stages.length}, ${nodes.length}, ${name}_stages, ${name}_nodes};\n`;
}

/** A stump is one node; a tree of two is the node at the root, then the other. Leaves follow from what is below. */
function tree(inner: number[], leaves: number[], features: readonly (readonly Rectangle[])[]): string[] {
  const shape = inner.filter((_, index) => index % 4 < 2).join(" ");
  const [one = 0, two = 0, three = 0] = leaves;
  const feature = (at: number) => features[inner[at + 2] ?? -1] ?? [];
  switch (shape) {
    case "0 -1":
      return [node(feature(0), inner[3], one, two, "NONE")];
    case "0 1 -1 -2":
      return [node(feature(0), inner[3], one, 0, "ABOVE"), node(feature(4), inner[7], two, three, "NONE")];
    case "1 0 -1 -2":
      return [node(feature(0), inner[3], 0, one, "BELOW"), node(feature(4), inner[7], two, three, "NONE")];
    default:
      throw new Error(`a tree of the shape ${shape}`);
  }
}

function node(rects: readonly Rectangle[], threshold = 0, below: number, above: number, more: string): string {
  const [first, second, third = [0, 0, 0, 0, 0]] = rects;
  if (first?.[4] !== -1 || !second) throw new Error("a feature of an unknown kind");
  const corners = [first, second, third].map((rect) => `{${rect.slice(0, 4).join()}}`).join(",");
  return `{{${corners}},{${second[4]},${third[4]}},${more},${float(threshold)},${float(below)},${float(above)}}`;
}

function numbers(text = ""): number[] {
  return text.trim().split(/\s+/).map(Number);
}

function float(value: number): string {
  const text = String(Math.fround(value));
  return /[.e]/.test(text) ? `${text}f` : `${text}.0f`;
}

const [out = "", ...inputs] = process.argv.slice(2);
const files = inputs.map((input) => input.split("=") as [name: string, file: string]);
const tables = files.map(([name, file]) => compile(name, readFileSync(file, "utf8")));
const list = `static const Cascade *const cascades[] = {${files.map(([name]) => `&${name}`).join(", ")}};`;
writeFileSync(out, `#include "cascade.h"\n\n${tables.join("\n")}\n${list}\n`);
