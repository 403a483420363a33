"""What several pages share that needs Streamlit: their state, their widgets, their tables and charts.

The session
    session       the workspace of this session, and what is worked out once
    widgets       a page's state, tied to its widgets and to the address
    this_machine  whether a visitor sits at the machine on which the app runs

On every page
    frame         the logo, the section's mark and the page's style
    question      the question at the top, and one thing to try
    saved_items   saved items come back before a page is drawn; saved_items_route: their routes
    own_texts     a person's own texts: bring, look at, rename, remove
    bring_link    the way to the page Bring
    page_files    the files of pages that others lead to

What is drawn
    components    our components: HTML, CSS and JavaScript from assets/components
    reply         the answer to a request of the playground's editor; wire: as bytes
    charts        the look of all charts, their tables and downloads; colours: a hue for each encoding
    tables        tables of exact values, and files to download
    curves        how many tokens a text has at every vocabulary size
    biography     all that is known of one token
    plain         a person's words as they are: where Streamlit reads markdown, and in a box

What is said of encodings that are measured
    losses        which of them lose text
    learned       which learned from the text they are measured on
"""
