#!/usr/bin/env python3
"""How good the module is: measure.py FOLDER prints the table of README.md.

Pictures that nothing was learned from are reduced and enlarged again: by Lanczos3, by filters alone, and by the network
(four times: by the network and then by filters). Figures are of luma, without the eight pixels at the sides.
"""
import os
import sys

import train_filters as filters
import numpy as np

HELD_OUT = [
    "photos/kodim03.png",
    "photos/kodim05.png",
    "photos/kodim08.png",
    "photos/kodim19.png",
    "photos/kodim23.png",
    "faces/kodim04.png",
    "faces/astronaut.png",
    "faces/clic-28d24b9c.jpg",
    "faces/clic-9466a908.jpg",
    "faces/clic-b51d5fb5.jpg",
    "photos/clic-60430844-pepper.png",
    "graphics/camera.png",
    "graphics/paris_icc_exif_xmp.png",
    "graphics/icon-large.png",
    "graphics/screenshot-clic-4cd6910a.png",
    "graphics/screenshot-hex-dump.png",
]
CHANNELS = 24
MIDDLE = 4
REACH = 2 + MIDDLE + 1


def layers_of(path):
    """The layers of network.bin, and their shifts: what `packed` of train_network.py has written."""
    numbers = np.fromfile(path, "<i2").astype(np.float64)
    shifts, at, layers = numbers[:8].astype(int), 8, []
    sizes = [(CHANNELS, 1, 5), *[(CHANNELS, CHANNELS, 3)] * MIDDLE, (4, CHANNELS, 3), (4, 1, 5)]
    for outputs, inputs, side in sizes:
        pairs = (side * inputs + 1) // 2
        rows = numbers[at : at + side * pairs * 2 * outputs].reshape(side, pairs, outputs, 2)
        rows = rows.transpose(2, 0, 1, 3).reshape(outputs, side, pairs * 2)[:, :, : side * inputs]
        layers.append(rows.reshape(outputs, side, side, inputs).transpose(0, 3, 1, 2))
        at += side * pairs * 2 * outputs
    return list(zip(layers, shifts))


def filtered(planes, layer):
    """Whole sums, by shifts, of all places where the filters are within the planes."""
    weights, shift = layer
    side = weights.shape[-1]
    height, width = planes.shape[1] - side + 1, planes.shape[2] - side + 1
    places = [(y, x) for y in range(side) for x in range(side)]
    sums = sum(np.tensordot(weights[:, :, y, x], planes[:, y : y + height, x : x + width], 1) for y, x in places)
    return np.floor((sums + 2.0 ** (shift - 1)) / 2.0**shift)


def by_network(plane, layers):
    """What network.c does, on one plane."""
    *hidden, last, linear = layers
    source = np.pad(plane.astype(np.float64) * 64, REACH, "edge")[None]
    planes = source
    for layer in hidden:
        planes = np.clip(filtered(planes, layer), -32768, 32767)
        planes = np.maximum(planes, np.floor(planes / 8))
    inner = slice(REACH - 2, 2 - REACH)
    sums = filtered(planes, last) + filtered(source[:, inner, inner], linear)
    around = filters.neighbors(plane * 64, 1)
    low, high = around.min(-1), around.max(-1)
    slack = np.minimum(np.floor((high - low) / 4), 8 * 64)
    result = np.zeros((2 * plane.shape[0], 2 * plane.shape[1]))
    for phase in range(4):
        result[phase // 2 :: 2, phase % 2 :: 2] = np.clip(sums[phase] + plane * 64, low - slack, high + slack)
    return np.clip(np.floor((result + 32) / 64), 0, 255)


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((a[8:-8, 8:-8] - b[8:-8, 8:-8]).astype(np.float64) ** 2))


def ssim(a, b):
    """Wang, Bovik, Sheikh, Simoncelli 2004: a Gaussian window of 11 x 11, sigma 1.5."""
    window = np.exp(-np.arange(-5, 6) ** 2 / (2 * 1.5**2))
    window /= window.sum()

    def mean(values):
        height, width = values.shape
        values = sum(window[i] * values[i : height - 10 + i] for i in range(11))
        return sum(window[i] * values[:, i : width - 10 + i] for i in range(11))

    a, b = a.astype(np.float64), b.astype(np.float64)
    ma, mb = mean(a), mean(b)
    va, vb, covariance = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    return np.mean((2 * ma * mb + 6.5025) * (2 * covariance + 58.5225) / ((ma**2 + mb**2 + 6.5025) * (va + vb + 58.5225)))


def main(folder):
    here = os.path.dirname(os.path.abspath(__file__))
    learned = np.fromfile(os.path.join(here, "filters.bin"), "<i2").reshape(2, filters.BUCKETS, 4, filters.TAPS)
    layers = layers_of(os.path.join(here, "network.bin"))
    print("| picture | " + " | ".join(f"2 x, {way}" for way in ("lanczos3", "SSIM", "bicubic", "box")) + " | 4 x, lanczos3 |")
    for name in HELD_OUT:
        square = ["-background", "white", "-flatten", "-gravity", "center", "-crop", "768x768+0+0", "+repage"]
        original = np.rint(filters.luma(filters.convert(f"{folder}/{name}", *square)))
        height, width = (side // 4 * 4 for side in original.shape)
        original, cells = original[:height, :width], []
        for way, factor in (("lanczos3", 2), ("bicubic", 2), ("box", 2), ("lanczos3", 4)):
            small = filters.resample(original, height // factor, width // factor, way)
            results = [filters.resample(small, height, width, "lanczos3"), filters.enlarge(small, learned[0])]
            results.append(by_network(small, layers))
            if factor == 4:
                results[1:] = [filters.enlarge(result, learned[1]) for result in results[1:]]
            cells.append(" → ".join(f"{psnr(result, original):.2f}" for result in results))
            if len(cells) == 1:
                cells.append(" → ".join(f"{ssim(result, original):.3f}" for result in results))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
