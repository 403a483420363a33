"""What a vocabulary's size costs a language model, per byte of text: the sweet spot.

More tokens in the vocabulary make a text shorter, so the model runs fewer times. But each run ends
with a score for every token of the vocabulary, so each run costs more. Somewhere between, a byte of text
costs least:

    operations per byte  =  2 · (12 · layers · width²  +  V · width)  ÷  bytes per token at V
                                 the layers               the scores

**Where the terms are from.** Kaplan et al., "Scaling Laws for Neural Language Models" (2020,
arXiv:2001.08361), Table 1 and section 2.1: a Transformer of the usual proportions has 12 · layers · width²
parameters apart from its embeddings, each of them costs a multiplication and an addition per token
(2 floating point operations), the scores ("de-embed") cost 2 · width · V, and training costs about three
times as much as running forward. Tao et al., "Scaling Laws with Vocabulary: Larger Models Deserve Larger
Vocabularies" (NeurIPS 2024, arXiv:2407.13623) count in the same way, with the vocabulary's parameters beside
the others and the number of tokens depending on the vocabulary, but ask another question: which
vocabulary gives the lowest loss for so many operations. They find that larger models deserve larger
vocabularies, and that most models have too small ones. What is here is about the price of running
alone, so it is no forecast of theirs.

**What is left out.** How well the model predicts: a larger vocabulary changes the loss, and rare
tokens are trained too little. Attention over the context (it grows with the length of the context in
tokens, so it favours larger vocabularies a little). Memory, and the time to fetch parameters, which
is what the first embedding costs: looking up a row is no arithmetic. Norms, biases, positions,
mixtures of experts, narrow attention heads. And the text: the minimum is that of the text measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..bpe.results import SizeCurve, Sizes

MAX_WIDTH = 1 << 17
MAX_LAYERS = 1 << 10
TRAINING = 3
"""Training costs this many times as much as running forward (Kaplan et al.: 6 operations for each 2)."""


@dataclass(frozen=True, slots=True)
class Model:
    """The sizes of a language model that decide what it costs.

    Args:
        d_model: the width: numbers in the vector that stands for a token.
        layers: how many layers.
        tied: whether the embedding and the scores share one matrix.

    Raises:
        ValueError: a width or a number of layers that no model has.

    >>> gpt2 = Model(768, 12)
    >>> gpt2.layer_parameters, gpt2.vocabulary_parameters(50_257)
    (84934656, 38597376)
    """

    d_model: int
    layers: int
    tied: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.d_model <= MAX_WIDTH:
            raise ValueError(f"The width of a model is 1 to {MAX_WIDTH:,} numbers, not {self.d_model:,}.")
        if not 1 <= self.layers <= MAX_LAYERS:
            raise ValueError(f"A model has 1 to {MAX_LAYERS:,} layers, not {self.layers:,}.")

    @property
    def layer_parameters(self) -> int:
        """Parameters of the layers: 12 · layers · width²."""
        return 12 * self.layers * self.d_model**2

    def vocabulary_parameters(self, size: int) -> int:
        """Parameters of the embedding and of the scores: size · width if they are tied, else twice that."""
        return size * self.d_model * (1 if self.tied else 2)

    def vocabulary_share(self, size: int) -> float:
        """The vocabulary's part of all parameters, 0 to 1.

        >>> round(Model(768, 12).vocabulary_share(50_257), 3)
        0.312
        """
        vocabulary = self.vocabulary_parameters(size)
        return vocabulary / (vocabulary + self.layer_parameters)


PRESETS: dict[str, Model] = {
    "GPT-2 small": Model(768, 12),
    "GPT-2 XL": Model(1600, 48),
    "Llama-like 7B": Model(4096, 32, tied=False),
}
"""Widths and layers that people know."""


@dataclass(frozen=True, slots=True)
class SweetSpot:
    """The vocabulary with which a byte of text costs least.

    Attributes:
        size: its size V: ordinary tokens, as on the curve.
        flops_per_byte: what a byte costs there, forward.
        from_size, to_size: around it, with every vocabulary from the one to the other a byte costs up to
            1 % more: how flat the valley is.
        at_the_end: whether the whole vocabulary is the best, so that a larger one might be better still.
    """

    size: int
    flops_per_byte: float
    from_size: int
    to_size: int
    at_the_end: bool


def cost_per_byte(model: Model, curve: SizeCurve, sizes: Sequence[int] | Sizes) -> Floats:
    """Floating point operations for each byte of the curve's text, forward, shape (len(sizes),).

    Raises:
        ValueError: the text is empty.

    >>> from tokenizers import counts_by_size, get_encoding
    >>> curve = counts_by_size(get_encoding("gpt2"), "the cat")  # 7 bytes; 7 tokens, and 2 in the end
    >>> cost_per_byte(Model(1, 1), curve, [256, 3798]).tolist() == [2 * (12 + 256), 2 * (12 + 3798) * 2 / 7]
    True
    """
    if not curve.n_bytes:
        raise ValueError("There is no text to measure on: it is empty. Choose another one.")
    per_token = 2.0 * (model.layer_parameters + np.asarray(sizes, np.float64) * model.d_model)
    return per_token * curve.at_sizes(np.asarray(sizes, np.int64)) / curve.n_bytes


def sweet_spot(model: Model, curve: SizeCurve) -> SweetSpot:
    """The best of all vocabulary sizes, exactly. Ties: the smallest size.

    Raises:
        ValueError: the text is empty.

    >>> import numpy as np
    >>> curve = SizeCurve(100, 2000, np.array([256, 512, 1024]), np.array([100, 50, 45]))
    >>> sweet_spot(Model(1, 1), curve)  # 2·268·100, 2·524·50, 2·1036·45 operations for 100 bytes
    SweetSpot(size=512, flops_per_byte=524.0, from_size=512, to_size=517, at_the_end=False)
    """
    sizes = np.arange(curve.smallest, curve.full + 1)
    costs = cost_per_byte(model, curve, sizes)
    best = int(np.argmin(costs))
    # The sizes on either side at which a byte costs more, with an edge before the first and behind the last.
    outside = np.concatenate(([-1], np.flatnonzero(costs > costs[best] * 1.01), [len(sizes)]))
    after = int(np.searchsorted(outside, best))
    return SweetSpot(
        size=int(sizes[best]),
        flops_per_byte=float(costs[best]),
        from_size=int(sizes[outside[after - 1] + 1]),
        to_size=int(sizes[outside[after] - 1]),
        at_the_end=int(sizes[best]) == int(curve.sizes[-1]),
    )
