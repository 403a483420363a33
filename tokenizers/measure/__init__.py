"""What can be measured of an encoding: on a text, for a language, and of its vocabulary.

metrics         bytes per token, fertility, NSL, Rényi efficiency …, with their sources; METRICS, their table
premiums        tokens of each language, as the app ships them and as counted here
vocabulary      all tokens of an encoding, as arrays by id, and everything that is known of one
learned_kinds   what was learned along the ranks: scripts, code, digits, blanks, web addresses
scaffolding     tokens that are built often in a text, and hardly ever left in it
token_search    a search over them: by text, by regular expression, by bytes, by ids
losses          what an encoding does not know of a text, or does not give back
chat_counts     a chat by OpenAI's formula, beside a template
chat_notes      what people should know of a chat: settings that its template does not use, and more
compare         what differs between two encodings: steps, vocabularies, merges, hard texts
compare_texts   what two encodings do to texts: counts, lines, streams, frequencies
compare_report  all of it as a report
report          a report as Markdown, and as HTML
walls           what of a premium comes from the walls, and what from the vocabulary
ways            in how many ways a text can be cut into a BPE's tokens, and other ways than its own
next_token      which token follows which in two stories: a tiny language model
cost            the vocabulary size that costs a model the least
"""

from __future__ import annotations

from .chat_counts import FORMULA_SOURCES, FORMULAS, count_chat, template_title
from .compare import Comparison, HardText, Pairs, reading_order
from .compare_report import compare_report
from .compare_texts import (
    LineChange,
    TextChange,
    changed_lines,
    compare_texts,
    frequencies_csv,
    stream,
    token_frequencies,
)
from .cost import MAX_LAYERS, MAX_WIDTH, PRESETS, TRAINING, Model, SweetSpot, cost_per_byte, sweet_spot
from .learned_kinds import LearnedKinds, learned_kinds
from .losses import count_lost, losses_in_words
from .metrics import METRICS, Compared, Metric, Metrics, measure, measure_together
from .next_token import (
    continued,
    draw_row,
    finish_sentence,
    followed,
    follower,
    is_sentence,
    n_followed,
    next_pieces,
)
from .premiums import COUNTS_FILE, count_text, fingerprint, shipped_counts, to_json
from .report import Report, report_as_html
from .scaffolding import Scaffold, scaffolding
from .token_search import Kept, SearchBy, search_tokens
from .vocabulary import Biography, TokenIds, Vocabulary, vocabulary_of
from .walls import PremiumParts, difference_parts, gini, premium_interval, premium_parts, premium_under
from .ways import MAX_WAYS_BYTES, OpenEnd, count_ways, drop_merges, fewest_tokens, open_end, why_no_ways
