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

Sessions
    ended_sessions     ends a session when its browser has gone
    faults             what a page says of an error that it does not handle

Streamlit
    streamlit_fixes    three faults of Streamlit, mended where its version was tried
"""
