"""Compile the kernels into Numba's cache on disk, so that nobody has to wait for them later.

python -m tools.compile_kernels        some ten seconds; a fraction of one if they are there already
"""

from __future__ import annotations

from tokenizers import kernels
from tools.options import read_options


def main() -> None:
    """Compile them, and say whether they work."""
    read_options(__doc__)
    if kernels.ready_to_train() and kernels.ready_to_encode():
        print("The kernels are ready.")
    else:
        print("There is no Numba that works here: training and encoding are slower, with the same results.")


if __name__ == "__main__":
    main()
