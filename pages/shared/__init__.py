"""The parts that several pages share and that use Streamlit: state, widgets, tables and charts.

The session
    session       the workspace of this session, and one object of any class
    widgets       ties a page's state to its widgets and to the URL
    this_machine  whether the visitor's browser runs on the server's machine

On every page
    frame         the logo, the section's mark, the page's style, and the question at the top
    saved_items   restores saved items before a page is drawn, and their routes
    bundles       offers a bundle of what a page shows, and shows what an opened one holds
    own_texts     the session's own texts: add, preview, rename, remove
    page_files    the files of pages that others link to, and the link to “Add a tokenizer”
    class_button  opens a room for a class

Drawing
    components    our components: HTML, CSS and JavaScript from assets/components
    charts        the look of all charts, their tables and downloads; colours: a hue for each encoding
    tables        tables of exact values, and files to download; reports: what a page shows, as a file
    curves        the number of a text's tokens, in all and at every vocabulary size
    biography     the facts about one token; trees: its merge tree
    markdown      a person's words as they are: where Streamlit reads markdown, and in a box

Warnings
    warnings      which encodings lose text, and which learned from the text that they are measured on
"""
