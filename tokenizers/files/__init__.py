"""Files of tokenizers: one module a format, and one table of them.

reading             any file, recognised by its content; and what a session keeps of an encoding
storage             .model, in minbpe's format; and ``load``, for the kinds that are written here
tiktoken_file       .tiktoken, a rank file
walled_ranks_file   a rank file with its split pattern, in a format of our own
tokenizer_json      tokenizer.json of any pipeline
tokenizer_json_steps  its normaliser and its pre-tokeniser, in words
vocabulary_pairs    vocab.json with merges.txt, and vocab.txt
chat_template       a chat template in a file beside a tokenizer.json
sentencepiece_file  SentencePiece's .model, of every kind
sentencepiece_proto its fields, checked before its library sees them
protobuf            the fields of such a file
charsmap            the table of its normaliser, checked
gguf_file           .gguf: the tokenizer in the header of a model
gguf_pairs          those of the kind gpt2: what the name of a pre-tokeniser stands for
gguf                that header, by key
tekken_file         tekken.json, of Mistral AI's models
listed_file         a vocabulary of characters or of words, in a format of our own
ranks               the tokens of a rank file
installed           files of tokenizers in the packages that are installed here
hub                 a file of a tokenizer from Hugging Face's hub
hub_task            the same, in a process with limits
"""
