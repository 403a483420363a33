"""What is around Streamlit's server. ``app.py`` puts it in place; pages import as little of it as possible.

At the start
    start_check        what is missing on this machine
    class_address      the address that a class types in
    open_files         how many files and connections may be open
    logs               what the server logs of a fault, and how much in all

A request on its way to Streamlit (middleware and routes)
    who_may_ask        Host and Origin
    visitors           how many tabs at a time
    slow_requests      how many connections, and how long a request may take to come
    unfinished_messages  how much of a message is gathered until it is whole, and for how long
    small_pieces       how many crumbs of a message or a request a connection may send
    allowance          so much at once, and then so much each second
    security_headers   what every answer forbids the browser
    compressed_files   scripts and styles are sent compressed
    component_files    our components' files, by an address that may be cached for ever
    requests           reading a body within a bound, and what a ticket names: for our own routes
    home_address       the first page's own name leads to it
    empty_page         a page without a connection says so
    gathered           an answer that middleware changes as a whole
    messages           what a browser may say, how much of it, and how fast
    refusals           why a connection ends: its code, and a line in the log
    left_pages         late requests of a page that was left are dropped
    ended_sessions     a session ends with its tab, and gives all back

Changes of Streamlit's own ways
    uploads            an uploaded file stays in memory, and a session has room for so many
    saved_files        a file that a person saves reaches the browser
    finished_runs      what a run said last is sent before the next one starts
    parts_of_parts     what was said in a part that runs again is dropped with the part
    wake_once          the event loop is woken once for several messages
    whole_updates      a run does not end between two changes that belong together
    top_of_page        a run of the whole page is not drawn into a part of it
    keys_first         whoever types is answered before a page goes on being drawn, or worked out
    settings_at_once   a setting, or a section of them, is read without waiting for others
    run_places         few pages are drawn at a time
    lanes              where keys are answered, in the event loop or in threads: who took least is next
    taken              what each has taken of the processor of late
    turns              a session's script runs, or a key is answered beside it
    forged_values      a field takes only what its own part of the page can send
    json_values        how many values a JSON holds, before it is read
    askers             for which session a thread works
    faults             what a page says of an error that it does not mend
"""
