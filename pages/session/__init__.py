"""What a person has for the length of a visit, and how it is kept. Without Streamlit.

The state of pages
    workspace      the text, the encodings and what the playground shows; one_text: in all pages of Explore
    panels         the text in each encoding
    editor_request a request of the editor, applied to a workspace; workspace_link: a link, restored in one
    page_state     what a page shows, as typed fields; links: a state in an address
    own_texts      texts that were brought, and their limits; guessed_file: a guessed character set
    catalogue      every text that comes with the app, by one key; samples: the playground’s short ones
    tickets        which object of a session a request of its browser means

Brought and kept
    tokenizer_files     uploaded files, and files by their path
    pending_tokenizers  tokenizers that were read from them, until a person adds or discards them
    saved_items    records of what a person made, and which of them the browser has to store

Training
    train_methods  the methods, and what each asks for
    train_plan     what a person asks to be trained: texts, shares, recipe
    train_run      one training in its own process, watched from here; train_worker: that process
    trainings      those of a session: the one at work, and the last comparison
    grown          an encoding that came of one, or from a file, and what is known of its growth

Lessons
    lessons        predict, then reveal; formulas: their numbers; worksheet: a lesson on paper
    lesson_draft   a lesson in a form’s fields
"""
