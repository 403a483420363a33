"""What the files of tokenizers contain: read, checked, and not yet made into an encoding.

Families take their vocabularies from here; which family a file is for, ``formats`` decides.

pipeline            tokenizer.json: a pipeline, checked and described
pipeline_steps      the steps that one may have, and what they do, in words
json_memory         how much memory reading a JSON takes
chat_template       a chat template, and the tokens that it names
sentencepiece_proto SentencePiece's .model, checked before its library sees it
protobuf            the fields of such a file
charsmap            the table of its normaliser, checked
gguf                the header of a .gguf, by key
ranks               the tokens of a rank file
"""
