"""What the app adds to Streamlit's server. ``app.py`` puts it in place, and pages import little of it.

At the start
    start_check        what is missing on this machine, and as many open files as it allows
    class_address      the URL that a class types in
    logs               log records without typed text

Middleware and routes
    security_headers   headers that restrict what a browser may load, and who may frame the app
    host_check         checks of Host and Origin
    session_limit      how many tabs may be open at a time
    page_script       our scripts in Streamlit's page, such as the one that says that no connection comes
    message_filter     messages of Streamlit's protocol that no visitor may send
    component_files    our components' files, under a versioned URL that browsers cache
    home_address       the first page's own name leads to it
    requests           reads bodies within a bound, and finds the object that a ticket names
    left_pages         drops late requests of a page that was left

Sessions
    ended_sessions     ends a session when its browser has gone
    faults             what a page says of an error that it does not handle

Changes of Streamlit's own ways
    saved_files        a file that a person saves reaches the browser
    finished_runs      what a run said last is sent before the next one starts
    parts_of_parts     what was said in a part that runs again is dropped with the part
    whole_updates      a run does not end between two changes that belong together
    top_of_page        a run of the whole page is not drawn into a part of it
"""
