"""The state of a session, and the work on it, without Streamlit.

The state of pages
    workspace      the text, the encodings and the switches of the playground; panels: encodes the text
    versions       which of two values of a field is newer, whatever arrives first
    editor_request applies the editor's requests to a workspace; workspace_link: restores a link in one
    one_text       shares the playground's text with the pages of Explore
    page_state     a page's state as typed fields; links: a state in a URL
    own_encodings  the session's own encodings, trained or from files, and their limits
    own_texts      the session's own texts, and their limits; linked_texts: those in a link or a bundle
    catalogue      every text that comes with the app, by key; samples: those that are measured
    menu           the pages, in their sections
    tickets        names an object of the session in the browser's requests

Uploaded and saved
    tokenizer_files     uploaded files, and files read from a path
    pending_tokenizers  tokenizers read from files, until a person adds or discards them
    saved_items    records of a session's encodings and texts, which the browser stores
    bundles        a page's view and the encodings of a person's own in it, in one file

Training
    train_methods  the methods, and the settings of each
    train_plan     the recipe of a training: texts, weights, settings
    train_run      the session's training: run in its own process, and watched; train_worker: that process
"""
