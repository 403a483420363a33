"""The middleware, routes and checks that the app adds to Streamlit's server. ``app.py`` installs them.

At the start
    start_check        finds missing packages, and the server's URL in the network
    errors             unexpected errors: the message on the page, and a line of the log without typed text

Middleware and routes
    security_headers   headers that restrict what a browser may load, and who may frame the app
    host_check         checks of Host and Origin
    connections        limits on open tabs: their number, and the kinds and the rate of their messages
    page_script        adds our styles and scripts to Streamlit's page
    run_limit          a limit on the number of pages that run at a time
    component_files    our components' files, under a versioned URL that browsers cache
    api                the JSON interface for other programs, which is off by default
    requests           reads bodies within a limit, and finds the object that a ticket names

Sessions
    ended_sessions     ends a session after its browser has disconnected

Streamlit
    streamlit_fixes    fixes of four bugs of Streamlit, for tested versions
"""
