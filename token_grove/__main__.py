"""Lets ``python -m token_grove`` do what ``token-grove`` does."""

import sys

from token_grove.command import main

sys.exit(main())
