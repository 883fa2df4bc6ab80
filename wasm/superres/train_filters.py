#!/usr/bin/env python3
"""Learns the filters of this module: train_filters.py FOLDER writes filters.bin beside it.

FOLDER holds the pictures listed below. Needs Debian's python3-numpy, imagemagick and fonts-dejavu; runs a few minutes
on one core. Seeded: the same pictures give the same filters, but for the rounding of another BLAS.

Method: RAISR (Romano, Isidoro, Milanfar: "RAISR: Rapid and Accurate Image Super Resolution", IEEE TCI 2017), with two
changes: filters act on the small picture, one for each of the four pixels that a pixel becomes, so there is no cheap
enlargement first; and the hash also knows whether a pixel lies on a line or on an edge (the Laplacian). The hash here
and the one in hash.c must agree.
"""
import os
import random
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

PHOTOS = {
    "photos/28057549.jpg": "CC BY 3.0, Carlos",
    "photos/Ultra_HDR_Samples_Originals_01.jpg": "CC BY 4.0, Mishaal Rahman",
    "photos/canon-dslr.jpg": "MIT",
    "photos/canyon-wren.jpg": "CC0",
    "photos/craft-beer.jpg": "public domain",
    "photos/demo-large-photo.jpg": "Apache-2.0",
    "photos/dog_exif_extended_xmp_icc.jpg": "BSD-2-Clause",
    "photos/japanese-shop.jpg": "public domain",
}
GRAPHICS = {
    "graphics/how-it-works-light.png": "Apache-2.0",
    "graphics/ridiculously-fast.png": "Apache-2.0 or MIT",
    "graphics/demo-device-screen.png": "Apache-2.0",
    "graphics/example_palette.png": "Apache-2.0",
    "graphics/wuffs-logo-1024x724.png": "Apache-2.0 or MIT",
    "graphics/imageTextN.png": "Apache-2.0",
    "graphics/color.png": "BSD-3-Clause",
    "graphics/logo.png": "BSD-3-Clause",
    "graphics/page.png": "public domain",
    "graphics/text.png": "public domain",
}
CROP = 320
SEED = 7

# The hash: 16 directions, then the strength of the gradient in levels, its coherence, and how strong the Laplacian is.
ANGLES = 16
STRENGTHS = (4.0, 12.0, 28.0)
COHERENCES = (0.25, 0.5)
CURVATURES = (0.5, 1.2)
CURVATURE_FLOOR = 4.0
BUCKETS = ANGLES * 4 * 3 * 3
REACH = 2
TAPS = (2 * REACH + 1) ** 2
ONE = 1 << 14
WINDOW = np.exp(-np.arange(-2, 3) ** 2 / (2 * 1.2**2)).astype(np.float32)
WINDOW /= WINDOW.sum()


# ---- pictures ----


def convert(*arguments):
    """The picture that ImageMagick makes, as an array of height, width, red-green-blue."""
    command = ["convert", *arguments, "-strip", "+set", "comment", "-depth", "8", "-type", "TrueColor", "ppm:-"]
    data = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    width, height = (int(word) for word in data.split(None, 3)[1:3])
    return np.frombuffer(data[-width * height * 3 :], np.uint8).reshape(height, width, 3)


def page(rng, background, ink):
    """A page of text in several sizes."""
    words = "Image size 1280 x 720 upload Settings {return value;} 0x7f3a sphinx of black quartz, judge my vow (a+b)*c"
    fonts = ["DejaVu-Sans", "DejaVu-Sans-Bold", "DejaVu-Sans-Mono", "DejaVu-Serif", "Helvetica", "Helvetica-Bold"]
    arguments, y = ["-size", "640x640", "xc:" + background, "-fill", ink], 10
    while y < 620:
        size = rng.choice([11, 12, 13, 14, 16, 18, 22, 28, 40])
        y += int(size * 1.35)
        line = " ".join(rng.choices(words.split(), k=1100 // size))
        where = f"+{rng.randint(2, 60)}+{y}"
        arguments += ["-font", rng.choice(fonts), "-pointsize", str(size), "-annotate", where, line]
    return convert(*arguments)


def shapes(rng, background):
    """Filled and outlined shapes of many colors."""
    arguments = ["-size", "640x640", "xc:" + background]
    for _ in range(90):
        color, x, y, r = f"#{rng.randrange(1 << 24):06x}", rng.randint(0, 640), rng.randint(0, 640), rng.randint(3, 60)
        line = f"line {x},{y} {x + rng.randint(-90, 90)},{y + rng.randint(-90, 90)}"
        others = [
            f"circle {x},{y} {x + r},{y}",
            f"rectangle {x},{y} {x + r},{y + rng.randint(3, 60)}",
            f"polygon {x},{y} {x + r},{y + r // 2} {x - r // 3},{y + r}",
        ]
        shape = rng.choice([line, *others])
        outlined = shape is line or rng.random() < 0.4
        width = str(rng.choice([1, 1.5, 2, 3, 5]))
        paint = ["-fill", "none", "-stroke", color] if outlined else ["-fill", color, "-stroke", "none"]
        arguments += [*paint, "-strokewidth", width, "-draw", shape]
    return convert(*arguments)


def graphics(folder, rng):
    """Graphics, pages and shapes, each with how many squares are to be cut out of it."""
    pictures = [(convert(f"{folder}/{name}", "-background", "white", "-flatten"), 5) for name in GRAPHICS]
    inks = [("#fff", "#111"), ("#202124", "#e8eaed"), ("#f4f4f8", "#1a4fb0"), ("#003049", "#fcbf49"), ("#fff", "#d62828")]
    pictures += [(page(rng, *colors), 4) for colors in inks]
    return pictures + [(shapes(rng, background), 4) for background in ("#fdfdf6", "#182030")]


def crops(pictures, rng):
    """Luma of squares of up to CROP pixels."""
    for picture, count in pictures:
        for _ in range(count):
            height, width = (min(CROP, side) // 4 * 4 for side in picture.shape[:2])
            y, x = rng.randint(0, picture.shape[0] - height), rng.randint(0, picture.shape[1] - width)
            yield luma(picture[y : y + height, x : x + width])


def originals_of(folder):
    """What filters are learned from."""
    rng = random.Random(SEED)
    # Reduced a lot, photographs are sharp; reduced a little, they are as soft as many that will come.
    pictures = [
        (convert(f"{folder}/{name}[0]", "-auto-orient", "-resize", size), count)
        for name in PHOTOS
        for size, count in (("30%", 10), ("75%", 8))
    ]
    return list(crops(pictures + graphics(folder, rng), rng))


def luma(picture):
    return picture.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)


# ---- resampling, as the resampler of this project does it ----


def kernel(name, x):
    x = np.abs(x)
    if name == "box":
        return np.where(x <= 0.5, 1.0, 0.0)
    if name == "bicubic":
        near, far = 1.5 * x**3 - 2.5 * x**2 + 1, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
        return np.where(x < 1, near, np.where(x < 2, far, 0.0))
    return np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0.0)


def weights(size, result, name):
    stretch = max(1, size / result)
    reach = {"box": 0.5, "bicubic": 2, "lanczos3": 3}[name] * stretch
    matrix = np.zeros((result, size))
    for i in range(result):
        center = (i + 0.5) * size / result
        at = np.arange(int(np.floor(center - reach)), int(np.ceil(center + reach)) + 1)
        row = kernel(name, (at + 0.5 - center) / stretch)
        np.add.at(matrix[i], np.clip(at, 0, size - 1), row / row.sum())
    return matrix.astype(np.float32)


def resample(plane, height, width, name):
    rows, columns = weights(plane.shape[0], height, name), weights(plane.shape[1], width, name)
    return np.clip(np.rint(rows @ plane.astype(np.float32) @ columns.T), 0, 255)


# ---- the hash, and the filters ----


def hashed(plane):
    """The bucket of every pixel, from 0 to BUCKETS - 1."""
    padded = np.pad(plane, 3, "edge")
    gx = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    gy = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2

    def mean(values):
        height, width = values.shape
        values = sum(WINDOW[i] * values[i : height - 4 + i] for i in range(5))
        return sum(WINDOW[i] * values[:, i : width - 4 + i] for i in range(5))

    xx, yy, xy = mean(gx * gx), mean(gy * gy), mean(gx * gy)
    spread = np.sqrt((xx - yy) ** 2 + 4 * xy * xy)
    strong = np.sqrt(np.maximum((xx + yy + spread) / 2, 0))
    weak = np.sqrt(np.maximum((xx + yy - spread) / 2, 0))
    angle = np.rint(np.arctan2(2 * xy, xx - yy) / (2 * np.pi) * ANGLES).astype(int) % ANGLES
    inner = padded[2:-2, 2:-2]
    sides = inner[:-2, 1:-1] + inner[2:, 1:-1] + inner[1:-1, :-2] + inner[1:-1, 2:]
    bend = np.abs(4 * plane - sides) / (strong + CURVATURE_FLOOR)
    bucket = angle * 4 + np.digitize(strong, STRENGTHS)
    bucket = bucket * 3 + np.digitize((strong - weak) / (strong + weak + 1e-3), COHERENCES)
    return bucket * 3 + np.digitize(bend, CURVATURES)


def neighbors(plane, reach):
    """Height, width, and the square of pixels around each."""
    padded, side = np.pad(plane, reach, "edge"), 2 * reach + 1
    height, width = plane.shape
    return np.stack([padded[y : y + height, x : x + width] for y in range(side) for x in range(side)], -1)


def learn(pairs):
    """The filters that make large pictures of small ones with the least square error: BUCKETS, 4, TAPS, in ONEths."""
    squares, products = np.zeros((BUCKETS, TAPS, TAPS)), np.zeros((BUCKETS, TAPS, 4))
    for small, large in pairs:
        for symmetry in range(8):
            s, l = small, large
            if symmetry & 1:
                s, l = s[:, ::-1], l[:, ::-1]
            if symmetry & 2:
                s, l = s[::-1], l[::-1]
            if symmetry & 4:
                s, l = s.T, l.T
            gather(s, l, squares, products)
    # What few pixels taught leans on the filter that all of them taught.
    common = np.linalg.solve(squares.sum(0) + 100 * np.eye(TAPS), products.sum(0))
    filters = np.zeros((BUCKETS, TAPS, 4))
    for bucket in range(BUCKETS):
        square, product = squares[bucket], products[bucket]
        ridge = 1e-3 * np.trace(square) / TAPS + 200
        filters[bucket] = common + np.linalg.solve(square + ridge * np.eye(TAPS), product - square @ common)
    return quantized(filters.transpose(0, 2, 1))


def gather(small, large, squares, products):
    """Differences from the pixel itself, so that the filters add up to one whatever they learn."""
    inside = np.zeros(small.shape, bool)
    inside[3:-3, 3:-3] = True
    inside = inside.ravel()
    itself = small.reshape(-1, 1)[inside]
    x = neighbors(small, REACH).reshape(-1, TAPS)[inside] - itself
    y = np.stack([large[i::2, j::2] for i in (0, 1) for j in (0, 1)], -1).reshape(-1, 4)[inside] - itself
    bucket = hashed(small).ravel()[inside]
    order = np.argsort(bucket, kind="stable")
    x, y = x[order], y[order]
    cuts = np.searchsorted(bucket[order], np.arange(BUCKETS + 1))
    for k in range(BUCKETS):
        part = slice(cuts[k], cuts[k + 1])
        squares[k] += x[part].T @ x[part]
        products[k] += x[part].T @ y[part]


def quantized(filters):
    whole = np.rint(filters * ONE).astype(int)
    whole[:, :, TAPS // 2] = 0
    whole[:, :, TAPS // 2] = ONE - whole.sum(2)
    assert np.abs(whole).sum(2).max() < 6 * ONE, "a sum could overflow 32 bits"
    assert np.abs(whole).max() < 1 << 15
    return whole.astype(np.int16)


def enlarge(plane, filters):
    """What pixels.c does with filters, on one plane."""
    height, width = plane.shape
    bucket, x = hashed(plane), neighbors(plane, REACH)
    result = np.zeros((2 * height, 2 * width), np.float32)
    around = neighbors(plane, 1)
    low, high = around.min(-1), around.max(-1)
    slack = (high - low) / 32
    for phase in range(4):
        chosen = filters[:, phase].astype(np.float32)[bucket] / ONE
        value = np.clip((x * chosen).sum(-1), low - slack, high + slack)
        result[phase // 2 :: 2, phase % 2 :: 2] = value
    return np.clip(np.rint(result), 0, 255)


def train(folder):
    originals = originals_of(folder)
    # Two in three are reduced by Lanczos, as most software does; the others by the mean of squares.
    ways = ["lanczos3", "box", "lanczos3"]

    def reduced(index, factor):
        plane = originals[index]
        return resample(plane, plane.shape[0] // factor, plane.shape[1] // factor, ways[index % 3])

    first = learn((reduced(i, 2), plane) for i, plane in enumerate(originals))
    # The second doubling learns from what the first one makes.
    second = learn((enlarge(reduced(i, 4), first), plane) for i, plane in enumerate(originals))
    return np.stack([first, second])


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "filters.bin")
    train(sys.argv[1]).astype("<i2").tofile(path)
