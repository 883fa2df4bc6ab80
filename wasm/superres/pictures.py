"""The pictures that networks are learned from, and how they are reduced. Needs Debian's python3-numpy, imagemagick and
fonts-dejavu."""
import functools
import os
import random
import subprocess

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


@functools.lru_cache(maxsize=64)
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


def neighbors(plane, reach):
    """Height, width, and the square of pixels around each."""
    padded, side = np.pad(plane, reach, "edge"), 2 * reach + 1
    height, width = plane.shape
    return np.stack([padded[y : y + height, x : x + width] for y in range(side) for x in range(side)], -1)
