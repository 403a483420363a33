"""What a tokenizer.json contains: read, checked, and not yet made into an encoding.

pipeline            a pipeline, checked and described
pipeline_steps      the steps that one may have, and what they do, in words
json_memory         how much memory reading a JSON takes
chat_template       a chat template, and the tokens that it names
"""
