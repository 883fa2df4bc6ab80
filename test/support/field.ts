/** Numbers of a picture between the layers of a network. */

/** Numbers by pixel and channel; beyond the sides they are zero, or those at the sides. */
export class Field {
  readonly data: Float64Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  private readonly beyond: "zero" | "side";

  constructor(width: number, height: number, channels: number, beyond: "zero" | "side") {
    this.data = new Float64Array(width * height * channels);
    this.width = width;
    this.height = height;
    this.channels = channels;
    this.beyond = beyond;
  }

  at(x: number, y: number, channel: number): number {
    const column = Math.min(this.width - 1, Math.max(0, x));
    const row = Math.min(this.height - 1, Math.max(0, y));
    const isBeyond = column !== x || row !== y || channel >= this.channels;
    if (isBeyond && this.beyond === "zero") return 0;
    return this.data[(row * this.width + column) * this.channels + channel] ?? 0;
  }

  fill(value: (x: number, y: number, channel: number) => number): this {
    for (let index = 0; index < this.data.length; index++) {
      const place = Math.floor(index / this.channels);
      this.data[index] = value(place % this.width, Math.floor(place / this.width), index % this.channels);
    }
    return this;
  }
}
