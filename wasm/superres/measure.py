#!/usr/bin/env python3
"""How good the module is: measure.py FOLDER prints what README.md has, or the lines of the pictures that are named.

Pictures that nothing was learned from are reduced and enlarged again: by Lanczos3, and by every network in one form (four times:
then by the small one again). A second row of cells has decibels above Lanczos3 of what the service makes of the picture, whose
file lost nothing unless JPEG compressed it. After that come decibels above Lanczos3 over all photographs, on average and for
the worst of them: by each network in one form and in two, and by what the service makes of files that lost nothing and of others.
Figures are of luma, without the eight pixels at the sides.
"""
import os
import sys
from typing import NamedTuple, Optional

import numpy as np
import torch
import torch.nn.functional as functional

import pictures
from blocks import compressed

torch.set_num_threads(1)

PHOTOS = [
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
]
GRAPHICS = [
    "graphics/icon-large.png",
    "graphics/screenshot-clic-4cd6910a.png",
    "graphics/screenshot-hex-dump.png",
]
# Channels, and layers between the first and the last.
NETWORKS = {"network-small.bin": (24, 4), "network.bin": (48, 5), "network-clean.bin": (48, 5)}


def layers_of(path):
    """The layers of a network, the linear one last, and their shifts: what `written` of train_network.py has written."""
    channels, middle = NETWORKS[os.path.basename(path)]
    data, at = np.fromfile(path, np.uint8), 0

    def numbers(kind, count):
        nonlocal at
        at += count * np.dtype(kind).itemsize
        return data[at - count * np.dtype(kind).itemsize : at].view(kind).astype(np.float64)

    def layer(kind, outputs, inputs, side):
        scales = numbers(np.uint8, outputs) if kind == np.int8 else np.ones(outputs)
        pairs = (side * inputs + 1) // 2
        rows = numbers(kind, side * pairs * 2 * outputs).reshape(side, pairs, outputs, 2)
        rows = rows.transpose(2, 0, 1, 3).reshape(outputs, side, pairs * 2)[:, :, : side * inputs]
        return rows.reshape(outputs, side, side, inputs).transpose(0, 3, 1, 2) * scales[:, None, None, None]

    shifts = numbers("<i2", 8).astype(int)
    first, linear = layer("<i2", channels, 1, 5), layer("<i2", 4, 1, 5)
    others = [layer(np.int8, outputs, channels, 3) for outputs in [channels] * middle + [4]]
    return list(zip([first, *others, linear], shifts))


def filtered(planes, layer):
    """Whole sums, by shifts, of all places where the filters are within the planes; rounded to 24 bits on the way."""
    weights, shift = layer
    planes, weights = (torch.from_numpy(numbers.astype(np.float32)) for numbers in (planes[None], weights))
    sums = functional.conv2d(planes, weights)[0].numpy().astype(np.float64)
    return np.floor((sums + 2.0 ** (shift - 1)) / 2.0**shift)


def made_by(layers, plane):
    """What a network adds to a plane."""
    *hidden, last, linear = layers
    reach = 1 + len(hidden) + 1
    source = np.pad(plane.astype(np.float64) * 64, reach, "edge")[None]
    planes = source
    for layer in hidden:
        planes = np.clip(filtered(planes, layer), -32768, 32767)
        planes = np.maximum(planes, np.floor(planes / 8))
    inner = slice(reach - 2, 2 - reach)
    sums = filtered(planes, last) + filtered(source[:, inner, inner], linear)
    result = np.zeros((2 * plane.shape[0], 2 * plane.shape[1]))
    for phase in range(4):
        result[phase // 2 :: 2, phase % 2 :: 2] = sums[phase]
    return result


def bounded(plane, made, slack=8):
    """A plane and what is added to it, within what is around."""
    around = pictures.neighbors(plane * 64, 1)
    low, high = around.min(-1), around.max(-1)
    most = np.minimum(np.floor((high - low) / 4), slack * 64)
    result = np.zeros(made.shape)
    for phase in (np.s_[row::2, column::2] for row in range(2) for column in range(2)):
        result[phase] = np.clip(made[phase] + plane * 64, low - most, high + most)
    return np.clip(np.floor((result + 32) / 64), 0, 255)


def by_network(plane, layers, slack=8):
    """What network.c and superres.c do, on one plane, in one form."""
    return bounded(plane, made_by(layers, plane), slack)


def in_two_forms(plane, layers):
    """The same in one form and in two."""
    upright, turned = made_by(layers, plane), made_by(layers, plane[::-1, ::-1])[::-1, ::-1]
    return bounded(plane, upright), bounded(plane, np.floor((upright + turned + 1) / 2))


def traces(plane):
    """Edges of blocks, and the share of noise: as src/image/operations/upscale/traces.ts has them."""
    plane, blocks = plane[:256].astype(np.float64), 0
    for lines in (plane, plane.T):
        thirds = np.minimum(12, np.abs(lines[:, 3:] - lines[:, :-3] - 3 * (lines[:, 2:-1] - lines[:, 1:-2]))).mean(0)
        means = np.sort([thirds[(np.arange(thirds.size) + 3) % 8 == phase].mean() for phase in range(8)])
        blocks += (means[7] - means[6]) / ((means[3] + means[4]) / 2)
    firsts, seconds = np.zeros(plane.shape), np.zeros(plane.shape)
    for lines, first, second in ((plane, firsts, seconds), (plane.T, firsts.T, seconds.T)):
        first[:, 1:] += np.diff(lines) ** 2
        second[:, 2:] += np.diff(lines, 2) ** 2
    height, width = (side // 8 for side in plane.shape)
    squares = lambda values: values[: 8 * height, : 8 * width].reshape(height, 8, width, 8).sum((1, 3))[1:, 1:]
    quiet = np.sort(squares(seconds), None)[int(0.05 * ((height - 1) * (width - 1) - 1))]
    return blocks, min(1, quiet / (3 * squares(firsts).mean()))


def chosen(by_lanczos3, large, clean, plane, lossless):
    """What is made of a picture with these traces: as src/image/operations/upscale/enlarge.ts has it."""
    blocks, noise = traces(plane)
    made = clean if lossless and blocks < 0.06 and noise < 0.04 else large
    return np.rint(by_lanczos3 + np.clip((0.2 - noise) / 0.19, 0, 1) * (made - by_lanczos3))


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


class Column(NamedTuple):
    """A way to reduce, by so many times; noise of so many levels is added, and JPEG compresses unless quality is None."""

    way: str
    factor: int = 2
    quality: Optional[int] = None
    noise: float = 0


COLUMNS = [Column("lanczos3"), Column("bicubic"), Column("box"), Column("lanczos3", quality=90), Column("lanczos3", quality=75)]
COLUMNS += [Column("lanczos3", 4), Column("lanczos3", noise=2), Column("lanczos3", noise=5), Column("lanczos3", 2, 90, 5)]


def reduced(original, way, factor, quality=None, noise=0):
    small = pictures.resample(original, original.shape[0] // factor, original.shape[1] // factor, way)
    if noise:
        small = np.clip(np.rint(small + np.random.default_rng(1).normal(0, noise, small.shape)), 0, 255).astype(np.float32)
    if quality is None:
        return small
    height, width = small.shape
    whole = np.pad(small, ((0, -height % 8), (0, -width % 8)), "edge")
    return compressed(whole, quality)[:height, :width].astype(np.float32)


def main(folder, *names):
    here = os.path.dirname(os.path.abspath(__file__))
    networks = [layers_of(os.path.join(here, name)) for name in NETWORKS]
    gains = [[] for _ in COLUMNS]
    for name in names or [*PHOTOS, *GRAPHICS]:
        square = ["-background", "white", "-flatten", "-gravity", "center", "-crop", "768x768+0+0", "+repage"]
        original = np.rint(pictures.luma(pictures.convert(f"{folder}/{name}", *square)))
        height, width = (side // 4 * 4 for side in original.shape)
        original, cells, best = original[:height, :width], [], []
        for column, gained in zip(COLUMNS, gains):
            small = reduced(original, *column)
            forms = [in_two_forms(small, layers) for layers in networks]
            if column.factor == 4:
                forms = [[by_network(result, networks[0], slack=1) for result in both] for both in forms]
            results = [one for one, _ in forms]
            results = [pictures.resample(small, height, width, "lanczos3"), *results]
            cells.append(" → ".join(f"{psnr(result, original):.2f}" for result in results))
            if len(cells) == 1:
                cells.append(" → ".join(f"{ssim(result, original):.3f}" for result in results))
            made = [*sum(map(list, forms), [])]
            made += [chosen(results[0], forms[1][1], forms[2][1], small, lossless) for lossless in (True, False)]
            above = [psnr(result, original) - psnr(results[0], original) for result in made]
            best.append(f"{above[-1 if column.quality else -2]:.2f}")
            if name in PHOTOS:
                gained.append(above)
        print(f"| {name} | {' | '.join(cells)} | {' | '.join(best)} |", flush=True)
    for column, gained in zip(COLUMNS, gains):
        if gained:
            figures = zip(np.mean(gained, 0), np.min(gained, 0))
            print(f"| {column} | {' | '.join(f'{mean:.2f}, {worst:.2f}' for mean, worst in figures)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
