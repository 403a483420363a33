"""The price of a vocabulary: known answers by hand, and the best size against trying every size."""

from __future__ import annotations

import numpy as np
import pytest

import tokenizers as tk
from tests.refusals import refused
from tokenizers.bpe.results import SizeCurve
from tokenizers.measure.cost import PRESETS, TRAINING, Model, cost_per_byte, sweet_spot


def test_parameters_by_hand() -> None:
    # 12 · 12 · 768² = 144 · 589,824
    assert PRESETS["GPT-2 small"].layer_parameters == 84_934_656
    assert 2 * TRAINING == 6  # operations for each parameter, Kaplan et al. 2020
    assert PRESETS["GPT-2 XL"].layer_parameters == 1_474_560_000
    llama = PRESETS["Llama-like 7B"]
    assert llama.layer_parameters == 6_442_450_944
    assert llama.vocabulary_parameters(32_000) == 2 * 32_000 * 4096


STEEP = SizeCurve(900, 3100, np.array([256, 260, 700, 900, 2900]), np.array([900, 600, 300, 290, 100]))
FLAT = SizeCurve(90, 300, np.array([256]), np.array([90]))


@pytest.mark.parametrize("curve", [STEEP, FLAT], ids=["steep", "flat"])
@pytest.mark.parametrize(("width", "layers"), [(1, 1), (20, 2), (300, 40)])
def test_sweet_spot_is_the_best_of_all_sizes(curve: SizeCurve, width: int, layers: int) -> None:
    model = Model(width, layers)
    every = np.arange(256, curve.full + 1)
    costs = cost_per_byte(model, curve, every)
    spot = sweet_spot(model, curve)
    assert spot.flops_per_byte == costs.min() == costs[spot.size - 256]
    assert spot.size == 256 + int(np.argmin(costs))
    assert spot.at_the_end == (spot.size == curve.sizes[-1])
    dearer = every[costs > costs.min() * 1.01].tolist()
    assert spot.from_size == max((size + 1 for size in dearer if size < spot.size), default=256)
    assert spot.to_size == min((size - 1 for size in dearer if size > spot.size), default=curve.full)


def test_an_empty_text() -> None:
    with refused("empty"):
        sweet_spot(Model(1, 1), tk.counts_by_size(tk.get_encoding("gpt2"), ""))
