/** What becomes of a gain map when its picture is worked on: the same geometry, at a scale of its own. */
import type { Rgba } from "../color/rgba.ts";
import { area, type Box, isWhole, type Size, turnBox, turnSize, whole } from "../pixels/geometry.ts";
import { sizeAfter } from "../plan/plan.ts";
import type { Kernel, Step } from "../steps/operation.ts";
import { turnedSize } from "../steps/rotate.ts";

/**
 * The least scale of a map beside a picture that was reduced, as far as it has as many pixels: at a quarter, which cameras
 * write, a small picture would lose highlights that can be seen in it.
 */
const LEAST_SCALE = 0.5;
const KERNEL: Kernel = "mitchell";

/**
 * The steps of a map over a picture to which other steps are done.
 * @param picture its size before them
 * @param none the value of no gain
 * @param isPicture the map is made of the picture, and needs no more than the least scale
 */
export function stepsOnMap(
  picture: Size,
  map: Size,
  steps: readonly Step[],
  { none, isPicture = false }: { readonly none: Rgba; readonly isPicture?: boolean | undefined },
): Step[] {
  const zooms = zoomsOf(picture, steps);
  const available = scaleAfter(Math.sqrt(area(map) / area(picture)), zooms[0] ?? 1);
  const scale = isPicture ? Math.min(LEAST_SCALE, available) : available;
  const planner = new MapPlanner(picture, map, none);
  for (const [index, step] of steps.entries()) planner.add(step, scale * (zooms[index] ?? 1));
  return planner.finish(scale);
}

/** By how much each step, and those after it, enlarge what the picture shows. */
function zoomsOf(picture: Size, steps: readonly Step[]): readonly number[] {
  const own: number[] = [];
  let size = picture;
  for (const step of steps) {
    const after = sizeAfter(step, size);
    const scales = step.kind === "resize" || (step.kind === "rows" && !step.gains);
    own.push(scales ? Math.sqrt(area(after) / area(step.kind === "resize" ? (step.box ?? size) : size)) : 1);
    size = after;
  }
  return own.map((_, index) => own.slice(index).reduce((product, zoom) => product * zoom, 1));
}

/** The scale of the map beside the result: what is reduced needs fewer pixels of the map, what is enlarged has no more. */
function scaleAfter(scale: number, zoom: number): number {
  const available = scale / zoom;
  return zoom >= 1 ? available : Math.min(available, Math.max(LEAST_SCALE, Math.min(1, scale)));
}

class MapPlanner {
  private readonly steps: Step[] = [];
  private picture: Size;
  private map: Size;
  /** The part of the map that shows the picture: not always whole pixels. */
  private box: Box;
  private readonly none: Rgba;

  constructor(picture: Size, map: Size, none: Rgba) {
    this.picture = picture;
    this.map = map;
    this.box = whole(map);
    this.none = none;
  }

  /** @param scale of the map, should it be filtered before this step */
  add(step: Step, scale: number): void {
    switch (step.kind) {
      case "turn":
        this.steps.push(step);
        this.box = turnBox(this.box, this.map, step.orientation);
        this.map = turnSize(this.map, step.orientation);
        break;
      case "crop":
        this.cut(step.box);
        break;
      case "resize":
        if (step.box) this.cut(step.box);
        break;
      case "rotate":
        this.settle(scale);
        this.rotate(step);
        break;
      case "rows":
        if (step.gains) {
          this.settle(scale);
          const across = this.map.width / this.picture.width;
          const down = this.map.height / this.picture.height;
          this.push(step.gains({ map: this.map, across, down, none: this.none }));
        }
        break;
    }
    this.picture = sizeAfter(step, this.picture);
  }

  finish(scale: number): Step[] {
    this.settle(scale);
    return this.steps;
  }

  private push(steps: readonly Step[]): void {
    for (const step of steps) {
      this.steps.push(step);
      this.map = sizeAfter(step, this.map);
    }
    this.box = whole(this.map);
  }

  private cut({ x, y, width, height }: Box): void {
    const across = this.box.width / this.picture.width;
    const down = this.box.height / this.picture.height;
    const box = { x: this.box.x + x * across, y: this.box.y + y * down, width: width * across, height: height * down };
    this.box = inside(box, this.map);
    this.picture = { width, height };
  }

  /** Makes the part that shows the picture all of the map, in whole pixels. */
  private settle(scale: number): void {
    const size = {
      width: Math.max(1, Math.round(this.picture.width * scale)),
      height: Math.max(1, Math.round(this.picture.height * scale)),
    };
    if (isWhole(this.box, this.map) && isAbout(this.map, size)) return;
    const isCut = Object.values(this.box).every(Number.isInteger) && isAbout(this.box, size);
    const cut: Step[] = isWhole(this.box, this.map) ? [] : [{ kind: "crop", box: this.box }];
    this.push(isCut ? cut : [...cut, { kind: "resize", ...size, kernel: KERNEL }]);
  }

  /** The center of the picture is that of the canvas before and after. */
  private rotate({ angle, ...canvas }: Extract<Step, { kind: "rotate" }>): void {
    const across = this.map.width / this.picture.width;
    const down = this.map.height / this.picture.height;
    const least = turnedSize(this.map, angle);
    const wanted = { width: canvas.width * across, height: canvas.height * down };
    const width = Math.max(least.width, Math.ceil(wanted.width));
    const height = Math.max(least.height, Math.ceil(wanted.height));
    this.push([{ kind: "rotate", angle, width, height, background: this.none }]);
    this.box = { x: (width - wanted.width) / 2, y: (height - wanted.height) / 2, ...wanted };
  }
}

/** A pixel more or less is not worth filtering a map for. */
function isAbout(one: Size, other: Size): boolean {
  return Math.abs(one.width - other.width) <= 1 && Math.abs(one.height - other.height) <= 1;
}

/** What arithmetic left of whole numbers is one, and nothing is outside. */
function inside(box: Box, { width, height }: Size): Box {
  const [left, right] = [near(Math.max(0, box.x)), near(Math.min(width, box.x + box.width))];
  const [top, bottom] = [near(Math.max(0, box.y)), near(Math.min(height, box.y + box.height))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function near(place: number): number {
  return Math.abs(place - Math.round(place)) < 1e-6 ? Math.round(place) : place;
}
