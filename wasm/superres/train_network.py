#!/usr/bin/env python3
"""Learns the networks of this module: train_network.py FOLDER writes network-small.bin and network.bin beside it; a
second argument limits the minutes of every stage. Needs Debian's python3-torch besides what pictures.py needs, and
about an hour of one core. Seeded, but threads and instructions of another machine round differently.

A network makes four pixels of luma of each, after Shi et al., "Real-Time Single Image and Video Super-Resolution Using
an Efficient Sub-Pixel Convolutional Neural Network" (CVPR 2016): filters act on the small picture, and the last ones make
the four pixels. It has no constant terms, after Mohan et al., "Robust and interpretable blind image denoising via
bias-free convolutional neural networks" (ICLR 2020), and its first filters add up to zero: where a picture is flat,
nothing is added to it, and twice the contrast is enlarged in the same way.
"""
import os
import random
import sys
import time
from typing import NamedTuple, Optional, Sequence

import numpy as np
import torch
import torch.nn.functional as functional

import pictures
from blocks import compressed

torch.set_num_threads(1)

# Besides the photographs of pictures.py: all CC BY 3.0, of 500px.
PORTRAITS = {
    "faces/500px-23018877.jpg": "Maria Jose Perras Barnada",
    "faces/500px-64953085.jpg": "Tamal Mitra",
    "faces/500px-65131509.jpg": "Evgeny Kuznetsov",
    "faces/500px-65140003.jpg": "Mario Mancuso",
    "faces/500px-65380541.jpg": "angeldemirev",
}
SLOPE = 1 / 8
WAYS = ["lanczos3"] * 3 + ["bicubic"] * 3 + ["box"]


class Stage(NamedTuple):
    """Begins with the weights of another one, and with further channels of little weight."""

    after: Optional[str]
    channels: int
    middle: int  # layers between the first and the last
    steps: int
    speed: float
    compressed: float  # the share of patches that JPEG has compressed
    count: int = 8  # patches a step
    side: int = 48  # pixels of a patch's side
    ways: Sequence[str] = WAYS
    stored: bool = False  # whether weights are rounded as they will be in the file
    softness: float = 1e-6  # below its root errors count by their squares, white being one


STAGES = {
    "narrow": Stage(None, 16, 4, 9_600, 2e-3, 0, 16, 32, ["lanczos3"] * 2 + ["bicubic"] * 2 + ["box"]),
    "small": Stage("narrow", 24, 4, 11_100, 1.5e-3, 0),
    "large": Stage("small", 48, 5, 11_000, 1.2e-3, 0.5),
    "network-small.bin": Stage("small", 24, 4, 9_700, 6e-4, 0.4, stored=True, softness=2.5e-4),
    "network.bin": Stage("large", 48, 5, 0, 0, 0),
}
SHARE_OF_PHOTOS = 0.85
# Qualities of JPEG, as libjpeg counts them.
QUALITIES = (75, 98)
# Samples of the kernel: 64ths of a level.
WHITE = 255 * 64


# ---- pictures ----


def originals_of(folder):
    """Luma of squares of photographs, large to small, and of graphics."""
    rng = random.Random(pictures.SEED)
    large, small = (("20%", 14), ("35%", 14), ("50%", 14), ("75%", 8), ("100%", 5)), (("100%", 6), ("60%", 4))
    photos = [
        (pictures.convert(f"{folder}/{name}[0]", "-auto-orient", "-resize", size), count)
        for name in [*pictures.PHOTOS, *PORTRAITS]
        for size, count in (small if "28057549" in name or name in PORTRAITS else large)
    ]
    cut = lambda whole: [np.rint(square) for square in pictures.crops(whole, rng)]
    return cut(photos), cut(pictures.graphics(folder, rng))


def pairs_of(originals, ways):
    """Every original, and its half by each way of reducing."""
    halves = lambda plane: {way: pictures.resample(plane, plane.shape[0] // 2, plane.shape[1] // 2, way) for way in ways}
    return [(plane, halves(plane)) for plane in originals]


def patch(rng, pairs, stage, reach):
    """A small patch with its surroundings, and the four pixels for each of its own."""
    side = stage.side
    large, halves = pairs[rng.integers(len(pairs))]
    small = halves[stage.ways[rng.integers(len(stage.ways))]]
    whole = (side + 2 * reach + 14) // 8 * 8
    y, x = (rng.integers(length - whole + 1) for length in small.shape)
    small = small[y : y + whole, x : x + whole]
    if rng.random() < stage.compressed:
        small = compressed(small, rng.integers(QUALITIES[0], QUALITIES[1] + 1))
    down, right = rng.integers(whole - side - 2 * reach + 1, size=2)
    small = small[down : down + side + 2 * reach, right : right + side + 2 * reach]
    y, x = 2 * (y + down + reach), 2 * (x + right + reach)
    large = large[y : y + 2 * side, x : x + 2 * side]
    return as_learned(rng, small, large)


def as_learned(rng, small, large):
    """Both in one of eight symmetries: the small one, and the four pixels of the large one for each of its own."""
    symmetry = rng.integers(8)
    if symmetry & 1:
        small, large = small[:, ::-1], large[:, ::-1]
    if symmetry & 2:
        small, large = small[::-1], large[::-1]
    if symmetry & 4:
        small, large = small.T, large.T
    return small[None], np.stack([large[i::2, j::2] for i in (0, 1) for j in (0, 1)])


# ---- the network ----


def new_weights(channels, middle):
    """Of the first layer, whose last four filters are the linear part, of the middle ones, and of the last one."""
    first = torch.empty(channels + 4, 1, 5, 5)
    middle = [torch.empty(channels, channels, 3, 3) for _ in range(middle)]
    last = torch.empty(4, channels, 3, 3)
    for weights in [first, *middle]:
        torch.nn.init.kaiming_normal_(weights, a=SLOPE)
    first[channels:] *= 0.01
    torch.nn.init.normal_(last, std=0.01)
    return [first, *middle, last]


def widened(old, channels, middle):
    """As many channels, of which the first ones do what they did, and as many layers, of which the first do nothing."""
    had = old[-1].shape[1]
    new = new_weights(channels, middle)
    idle = torch.zeros(had, had, 3, 3)
    idle[range(had), range(had), 1, 1] = 1
    known_middle = [idle] * (middle + 2 - len(old)) + old[1:-1]
    new[0][:had], new[0][channels:] = old[0][:had], old[0][had:]
    for weights, known in zip(new[1:-1], known_middle):
        weights[:had, had:] *= 0.05
        weights[:had, :had] = known
    new[-1] *= 0.5
    new[-1][:, :had] = old[-1]
    return new


def reach_of(weights):
    """Pixels to each side that a result depends on."""
    return 2 + len(weights) - 1


def zero_sum(first):
    return first - first.mean((2, 3), keepdim=True)


def enlarged(weights, x, sixteen=True):
    first, *middle, last = weights
    channels, reach = last.shape[1], reach_of(weights)
    hidden = functional.conv2d(x, zero_sum(first))
    inner = slice(reach - 2, 2 - reach)
    linear = hidden[:, channels:, inner, inner]
    hidden = functional.leaky_relu(hidden[:, :channels], SLOPE).contiguous(memory_format=torch.channels_last)
    # Sixteen bits are enough at first, and take half the time where the processor has instructions for them.
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=sixteen and channels > 16):
        for layer in middle:
            hidden = functional.leaky_relu(functional.conv2d(hidden, layer), SLOPE)
        details = functional.conv2d(hidden, last)
    return details.float() + linear + x[:, :, reach:-reach, reach:-reach]


def train(weights, photos, graphics, stage, minutes):
    rng = np.random.default_rng(1)
    photos, graphics = (pairs_of(originals, sorted(set(stage.ways))) for originals in (photos, graphics))
    weights = [layer.requires_grad_() for layer in weights]
    optimizer = torch.optim.Adam(weights, lr=stage.speed, betas=(0.9, 0.99))
    began = time.time()
    for step in range(stage.steps):
        done = max(step / stage.steps, (time.time() - began) / (60 * minutes))
        if done >= 1:
            break
        optimizer.param_groups[0]["lr"] = (stage.speed * (1 + np.cos(np.pi * done)) / 2 + 1e-5) * min(1, (step + 1) / 200)
        kinds = [photos if rng.random() < SHARE_OF_PHOTOS else graphics for _ in range(stage.count)]
        patches = [patch(rng, pairs, stage, reach_of(weights)) for pairs in kinds]
        small, large = (np.stack(planes) for planes in zip(*patches))
        small, large = (torch.from_numpy(planes.astype(np.float32)) / 255 for planes in (small, large))
        optimizer.zero_grad()
        used = [weights[0], *map(as_stored, weights[1:])] if stage.stored else weights
        loss = torch.sqrt((enlarged(used, small) - large) ** 2 + stage.softness).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 0.5)
        optimizer.step()
        if step % 500 == 0:
            print(f"{step}: {loss.item():.5f}", flush=True)
    return [layer.detach() for layer in weights]


# ---- whole numbers ----


def factor_of(layer):
    """What makes whole numbers of a layer: sums of 16-bit numbers by these stay within 32 bits."""
    size = layer.detach().abs().flatten(1)
    return min(60_000 / size.sum(1).max().item(), 32_000 / size.max().item())


def in_eight_bits(layer, factor):
    """Weights as whole numbers of eight bits, and what multiplies those of each filter."""
    whole = layer.detach().double() * factor
    scales = torch.ceil(whole.abs().amax((1, 2, 3), keepdim=True) / 127).clamp(min=1)
    return torch.round(whole / scales), scales


def as_stored(layer):
    """The layer as it is after rounding; learned from as if it were not rounded."""
    factor = factor_of(layer)
    eight, scales = in_eight_bits(layer, factor)
    return layer + ((eight * scales / factor).float() - layer).detach()


def greatest(weights, planes):
    """The greatest number of every hidden layer, white being one."""
    most = [0.0] * (len(weights) - 1)
    for plane in planes:
        hidden = torch.from_numpy(plane.astype(np.float32))[None, None] / 255
        for i, layer in enumerate([zero_sum(weights[0])[: weights[-1].shape[1]], *weights[1:-1]]):
            hidden = functional.leaky_relu(functional.conv2d(hidden, layer), SLOPE)
            most[i] = max(most[i], hidden.abs().max().item())
    return most


def without_sum(filters_of):
    """Whole filters of 5 x 5 that add up to zero."""
    flat = torch.round(filters_of).flatten(1)
    flat[:, 12] -= flat.sum(1)
    return flat.reshape(-1, 1, 5, 5)


def quantized(weights, most):
    """The first and the linear layer in whole numbers of 16 bits, the others in eight with their scales, and the shifts."""
    channels = weights[-1].shape[1]
    weights = [zero_sum(weights[0]).double(), *weights[1:]]
    first, linear = weights[0][:channels], without_sum(weights[0][channels:] * 2**14)
    shifts, eights, scale = [], [], WHITE
    for layer, largest in zip([first, *weights[1:-1]], most):
        factor, shift = factor_of(layer), 1
        while scale * factor / 2**shift * largest > 24_000:
            shift += 1
        if layer is not first:
            eights.append(in_eight_bits(layer, factor))
        shifts.append(shift)
        scale = scale * factor / 2**shift
    # What the last layer makes is in samples: its shift is what is left.
    shift = int(np.floor(np.log2(factor_of(weights[-1]) * scale / WHITE)))
    eights.append(in_eight_bits(weights[-1], 2.0**shift * WHITE / scale))
    first = without_sum(first * factor_of(first))
    for layer in [first, linear, *(eight * scales for eight, scales in eights)]:
        assert layer.abs().flatten(1).sum(1).max() < 1 << 16
    return first, linear, eights, [*shifts, shift, 14]


def packed(layer):
    """As weights.h has it: rows, pairs of numbers in them, and the weights of each pair for every output."""
    outputs, inputs, side, _ = layer.shape
    rows = layer.numpy().transpose(0, 2, 3, 1).reshape(outputs, side, side * inputs)
    rows = np.pad(rows, ((0, 0), (0, 0), (0, side * inputs % 2)))
    return rows.reshape(outputs, side, -1, 2).transpose(1, 2, 0, 3).reshape(-1)


def written(weights, halves, name):
    first, linear, eights, shifts = quantized(weights, greatest(weights, halves))
    wide = np.concatenate([np.pad(shifts, (0, 8 - len(shifts))), packed(first), packed(linear)])
    parts = [wide.astype("<i2").tobytes()]
    for eight, scales in eights:
        parts += [scales.flatten().numpy().astype(np.uint8).tobytes(), packed(eight).astype(np.int8).tobytes()]
    with open(beside(name), "wb") as file:
        file.write(b"".join(parts))


def beside(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)


def checkerboards():
    """Nothing is busier."""
    return [255 * (np.indices((96, 96)) // side).sum(0) % 510 for side in (1, 5)]


def main(folder, minutes=1e9):
    torch.manual_seed(1)
    photos, graphics = originals_of(folder)
    halves = [halves["lanczos3"] for _, halves in pairs_of([*photos, *graphics][::4], ["lanczos3"])]
    halves += checkerboards()
    made = {None: None}
    for name, stage in STAGES.items():
        shape, began = (stage.channels, stage.middle), made[stage.after]
        began = widened(began, *shape) if began and began[-1].shape[1] != stage.channels else began or new_weights(*shape)
        made[name] = train([layer.clone() for layer in began], photos, graphics, stage, float(minutes))
        if name.endswith(".bin"):
            written(made[name], halves, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
