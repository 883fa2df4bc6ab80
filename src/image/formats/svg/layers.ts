/** The order of cascade layers (CSS Cascading and Inheritance Level 5, section 6.4). */

/** Layers whose order is kept; those named after them are what is around them. */
const MAX_LAYERS = 100;

/** A layer with those in it, in the order in which they were named. */
export interface Layer {
  readonly inner: Map<string, Layer>;
  /** Among all layers, once they are arranged. */
  place: number;
}

const newLayer = (): Layer => ({ inner: new Map(), place: 0 });

export class Layers {
  private readonly outermost = newLayer();
  private readonly known = new Map<readonly string[], Layer>();
  private count = 0;

  /**
   * The layer of a rule.
   * @param conditions the rules around it, the same list for all that stand there: `layer` and names with points between
   */
  of(conditions: readonly string[]): Layer {
    const known = this.known.get(conditions);
    if (known) return known;
    let layer = this.outermost;
    for (const condition of conditions) {
      if (!condition.startsWith("layer ")) continue;
      for (const name of condition.slice("layer ".length).split(".")) layer = this.within(layer, name);
    }
    this.known.set(conditions, layer);
    return layer;
  }

  /** Gives all layers their places: what is in a layer comes before it, for its own rules count more. */
  arrange(): void {
    let places = 0;
    const place = (layer: Layer): void => {
      for (const inner of layer.inner.values()) place(inner);
      layer.place = places++;
    };
    place(this.outermost);
  }

  private within(layer: Layer, name: string): Layer {
    const there = layer.inner.get(name);
    if (there || this.count === MAX_LAYERS) return there ?? layer;
    this.count++;
    const inner = newLayer();
    layer.inner.set(name, inner);
    return inner;
  }
}
