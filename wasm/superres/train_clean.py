#!/usr/bin/env python3
"""Learns the network for pictures that were never compressed: train_clean.py FOLDER writes network-clean.bin beside it,
from network.bin. Needs what train_network.py needs, a quarter of an hour of one core, and Debian's lomiri-wallpapers-16.04, of
which it reads the photographs below; those that others may only share under the same license are left out. Seeded, but threads
and instructions of another machine round differently.

What is to be great is the mean of decibels over pictures, quiet ones and busy ones alike: squares of errors count in
relation to those that Lanczos3 makes.
"""
import random
import sys
from typing import NamedTuple

import numpy as np
import torch

import measure
import pictures
import train_network as common

NETWORK = "network-clean.bin"
WALLPAPERS = {
    "Picture_0B_by_freespace.jpg": "CC BY 4.0, Trevor Freespace",
    "Picture_1A_by_freespace.jpg": "CC BY 4.0, Trevor Freespace",
    "Wine_by_Jakkub_Mede.jpg": "CC BY 4.0, Jakub Mede",
    "aitzgorri_by_Aitzol_Berasategi.jpg": "CC BY 4.0, Aitzol Berasategi",
    "friends_by_Aitzol_Berasategi.jpg": "CC BY 4.0, Aitzol Berasategi",
    "life_by_Aitzol_Berasategi.jpg": "CC BY 4.0, Aitzol Berasategi",
    "picosdeeuropa_by_Aitzol_Berasategi.jpg": "CC BY 4.0, Aitzol Berasategi",
    "seeding_by_Clements_Engelhardt.jpg": "CC0, Clemens Engelhardt",
    "sunset_by_Aitzol_Berasategi.jpg": "CC BY 4.0, Aitzol Berasategi",
}
BACKGROUNDS = "/usr/share/backgrounds"
# Of less than two megapixels.
SMALL = [*common.PORTRAITS, "28057549", "Picture_1A"]
WAYS = ["lanczos3", "bicubic", "box"]
# Of patches: three in seven, three in seven and one.
CHOSEN = [0, 0, 0, 1, 1, 1, 2]
SPEED = 4e-4
COUNT, SIDE, REACH = 8, 48, 8  # patches a step, pixels of a patch's side, and those around it that are looked at
PLACES = 4  # pixels from one place of a patch to the next


class Stage(NamedTuple):
    """Begins with the mean of what those before made of different seeds."""

    seeds: tuple
    steady: int  # steps at full speed
    slowing: int  # steps until it stands
    photos: float  # the share of patches that are parts of photographs
    least: float  # the least square of errors that Lanczos3 makes in a picture that is learned from, in levels
    # Whether patches are the likelier the more errors Lanczos3 makes in them, each of which counts the less.
    seeks: bool


STAGES = [Stage((1,), 900, 0, 0.85, 2, False), Stage((11, 12), 150, 450, 0.88, 1, True)]


# ---- pictures ----


def originals_of(folder):
    rng = random.Random(pictures.SEED)
    small, large = (("100%", 8), ("60%", 5)), (("20%", 14), ("35%", 20), ("50%", 20), ("75%", 8), ("100%", 4))
    paths = [f"{folder}/{name}[0]" for name in [*pictures.PHOTOS, *common.PORTRAITS]]
    paths += [f"{BACKGROUNDS}/{name}" for name in WALLPAPERS]
    sizes = {path: small if any(name in path for name in SMALL) else large for path in paths}
    photos = ((pictures.convert(path, "-auto-orient", "-resize", size), n) for path in paths for size, n in sizes[path])
    return [[np.rint(square) for square in pictures.crops(whole, rng)] for whole in (photos, pictures.graphics(folder, rng))]


class Patches:
    """Places of patches in pictures, and how likely they are."""

    def __init__(self, originals, stage):
        self.pictures, self.places, likely = [], [], []
        for plane in originals:
            height, width = (side // 2 for side in plane.shape)
            halves = [pictures.resample(plane, height, width, way) for way in WAYS]
            errors = (pictures.resample(halves[0], *plane.shape, "lanczos3") - plane) ** 2
            whole = errors.mean()
            if whole < stage.least or min(height, width) < SIDE + 2 * REACH:
                continue
            last = (side - SIDE - 2 * REACH + 1 for side in (height, width))
            places = [(y, x) for y, x in np.ndindex(*last) if y % PLACES == x % PLACES == 0]
            for y, x in places:
                top, left = 2 * (y + REACH), 2 * (x + REACH)
                here = errors[top : top + 2 * SIDE, left : left + 2 * SIDE].mean() if stage.seeks else whole
                self.places.append((len(self.pictures), y, x, here))
                likely.append((here + 0.3) / (whole + 1) / len(places))
            self.pictures.append((plane, halves))
        self.up_to = np.cumsum(likely if stage.seeks else np.ones(len(likely))) / (sum(likely) if stage.seeks else len(likely))

    def one(self, rng):
        """A small patch with its surroundings, the four pixels for each of its own, and what Lanczos3 errs by."""
        number, y, x, errors = self.places[np.searchsorted(self.up_to, rng.random())]
        plane, halves = self.pictures[number]
        small = halves[CHOSEN[rng.integers(len(CHOSEN))]][y : y + SIDE + 2 * REACH, x : x + SIDE + 2 * REACH]
        top, left = 2 * (y + REACH), 2 * (x + REACH)
        large = plane[top : top + 2 * SIDE, left : left + 2 * SIDE]
        return *common.as_learned(rng, small, large), errors


# ---- the network ----


def stored(name):
    """The weights of a file, as many times as large in every layer as in the others, compared with new ones."""
    *hidden, last, linear = [torch.from_numpy(layer / 2.0**shift).float() for layer, shift in measure.layers_of(name)]
    layers = [*hidden, last]
    gains = [(layer.square().mean() * layer[0].numel() / 2).sqrt() for layer in layers]
    usual = torch.stack(gains).log().mean().exp()
    first, *others = [layer * (usual / gain) for layer, gain in zip(layers, gains)]
    return [torch.cat([first, linear]), *others]


def train(weights, kinds, stage, seed):
    rng = np.random.default_rng(seed)
    weights = [layer.clone().requires_grad_() for layer in weights]
    means = [layer.detach().clone() for layer in weights]
    optimizer = torch.optim.Adam(weights, lr=SPEED, betas=(0.9, 0.99))
    for step in range(stage.steady + stage.slowing):
        slowed = max(0, step - stage.steady) / max(1, stage.slowing)
        optimizer.param_groups[0]["lr"] = SPEED * min(1, (step + 1) / (30 if stage.seeks else 100)) * (1 - 0.98 * slowed)
        patches = [kinds[0 if rng.random() < stage.photos else 1].one(rng) for _ in range(COUNT)]
        small, large, errors = (torch.from_numpy(np.stack(part).astype(np.float32)) for part in zip(*patches))
        optimizer.zero_grad()
        # Weights are rounded as they will be in the file while steps become smaller.
        used = weights if step < stage.steady or not stage.slowing else [weights[0], *map(common.as_stored, weights[1:])]
        squares = ((common.enlarged(used, small / 255, sixteen=False) * 255 - large) ** 2).flatten(1).mean(1)
        loss = 0.05 * (squares / (errors + (0.3 if stage.seeks else 1))).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 0.5)
        optimizer.step()
        # After so many steps the mean goes back over 200 of them.
        for mean, layer in zip(means, weights):
            mean.lerp_(layer.detach(), 1 - min(0.995, (step + 1) / (step + 20)))
        if step % 100 == 0:
            print(f"{step}: {loss.item():.5f}", flush=True)
    return [layer.detach() for layer in weights] if stage.slowing else means


def main(folder):
    originals = originals_of(folder)
    halves = [pictures.resample(plane, plane.shape[0] // 2, plane.shape[1] // 2, "lanczos3") for plane in sum(originals, [])[::4]]
    weights = stored(common.beside("network.bin"))
    for stage in STAGES:
        kinds = [Patches(planes, stage) for planes in originals]
        made = [train(weights, kinds, stage, seed) for seed in stage.seeds]
        weights = [torch.stack(layers).mean(0) for layers in zip(*made)]
    common.written(weights, [*halves, *common.checkerboards()], NETWORK)


if __name__ == "__main__":
    main(*sys.argv[1:])
