"""What the figures of the page Compression mean, and where they come from. Ours alone, no person's text."""

from __future__ import annotations

# figure, how it is made, what it says and when not to trust it, source
MEANINGS = (
    (
        "Bytes per token",
        "bytes of UTF-8 ÷ tokens",
        "The compression ratio: more is better, fewer tokens for the same file. A letter takes one byte in "
        "English, two in Russian, three in Hindi or Chinese, so compare encodings on a text, not texts with"
        " one another.",
        "Gao et al. 2020, *The Pile*, section 3.1, arXiv:2101.00027",
    ),
    (
        "Characters per token",
        "characters (Unicode code points) ÷ tokens",
        "More is better. A Chinese character says more than a Latin letter: compare within a script.",
        "Limisiewicz et al. 2023, *Tokenization Impacts Multilingual Language Modeling*, arXiv:2305.17179",
    ),
    (
        "Fertility",
        "tokens ÷ words",
        "Less is better. All tokens count, those of signs and spaces too, so code and JSON have a high one."
        " A word is a run of letters, marks, digits and underscores, with the apostrophes inside it: "
        "“don’t” is one word, “3.14” two. Thai, Lao, Khmer, Burmese, Chinese, Japanese, Tibetan and a few "
        "more put no space between words; only a dictionary could tell them apart, and two would not agree."
        " So where more than 1% of a text’s letters are of such a script, no fertility is given. What "
        "stands between Korean spaces counts as a word.",
        "Ács 2019, *Exploring BERT’s vocabulary*; Rust et al. 2021, *How good is your tokenizer?*, "
        "arXiv:2012.15613",
    ),
    (
        "Words kept whole",
        "words that one token holds, alone ÷ words",
        "More is better. The token may hold a space or a sign beside the word, but nothing of another word."
        " It is taken over the words of the text as they stand there, each time. The paper’s STRR (single "
        "token retention rate) encodes the words of a list one by one, so its figures differ. Not given "
        "where fertility is not.",
        "Nayeem et al. 2025, *Beyond Fertility: Analyzing STRR*, arXiv:2510.09947",
    ),
    (
        "NSL, normalized sequence length",
        "tokens ÷ tokens of the baseline encoding, on the same text",
        "Less is better; the baseline itself has 1. You choose the baseline; the paper’s was Llama’s "
        "tokenizer.",
        "Dagan, Synnaeve and Rozière 2024, *Getting the most out of your tokenizer*, arXiv:2402.01035",
    ),
    (
        "Premium",
        "tokens ÷ tokens of the same text in English, in the same encoding",
        "English has 1; at 2, a language costs twice as much. Only for the languages here, which are one "
        "text, the Universal Declaration of Human Rights.",
        "Petrov et al. 2023, *Language Model Tokenizers Introduce Unfairness Between Languages*, "
        "arXiv:2305.15425",
    ),
    (
        "Rényi efficiency",
        "log(Σ pᵢ^2.5) ÷ (1 − 2.5) ÷ log(vocabulary), pᵢ the share of the tokens that are token i",
        "How evenly a text uses a vocabulary: 1 if it uses all of it alike. It went with translation "
        "quality in the paper. A text of N tokens cannot have more than log N ÷ log(vocabulary), so compare"
        " on one text, and a long one. The paper’s package divides by the tokens that occur unless told "
        "otherwise, which gives more. Some encodings have more of it and do worse in use.",
        "Zouhar et al. 2023, *Tokenization and the Noiseless Channel*, arXiv:2306.16842; Cognetta et al. "
        "2024, *Two Counterexamples*, arXiv:2402.14614",
    ),
    (
        "Vocabulary used",
        "different tokens that occur ÷ tokens in the vocabulary",
        "Neither good nor bad; a short text cannot use much of a large vocabulary. Special tokens are in "
        "the vocabulary, and ids that stand for nothing are not.",
        "Token Grove’s own count",
    ),
    (
        "Split characters",
        "characters whose bytes lie in more than one token ÷ characters",
        "Less is better: a model has to put such a character together from parts. A flag or a family of "
        "emoji is several characters, and not split by cuts between them.",
        "Token Grove’s own count",
    ),
)

EXACT = (
    "All figures are exact: counts, and ratios of counts, of the tokens that the encoding itself makes of "
    "the whole text. Special tokens in a text are plain text here. Half a character (a lone surrogate) "
    "counts as U+FFFD, three bytes."
)

HELP = {
    "bytes_per_token": "UTF-8 bytes ÷ tokens. More is better.",
    "chars_per_token": "Unicode characters ÷ tokens. More is better.",
    "fertility": "Tokens ÷ words. Less is better. Not given for scripts without spaces.",
    "words_kept_whole": "Words that one token holds, alone ÷ words. More is better.",
    "nsl": "Tokens ÷ tokens of the baseline on the same text. Less is better.",
    "premium": "Tokens ÷ tokens of the same text in English. Only for the declaration’s languages.",
    "renyi_efficiency": "How evenly the vocabulary is used, power 2.5; 1 is all of it alike.",
    "used_share": "Different tokens that occur ÷ tokens in the vocabulary.",
    "split_share": "Characters whose bytes lie in more than one token ÷ characters. Less is better.",
    "tokens": "How many tokens the text becomes.",
}
"""A sentence for each figure, where there is room for no more."""
