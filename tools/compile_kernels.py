"""Compile the kernels into Numba's cache on disk, so that nobody has to wait for them later.

python -m tools.compile_kernels        some ten seconds; a fraction of one if they are there already
"""

from __future__ import annotations

import argparse
import sys
import time

from tokenizers import kernels


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    started = time.perf_counter()
    if kernels.ready_to_train() and kernels.ready_to_encode():
        print(f"The kernels are ready ({time.perf_counter() - started:.1f} s).")
    else:
        print("There is no Numba that works here: training and encoding are slower, with the same results.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
