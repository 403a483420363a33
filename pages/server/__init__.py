"""The middleware, routes and checks that the app adds to Streamlit's server. ``app.py`` installs them.

At the start
    start_check        finds missing files and packages, and raises the limit of open files
    network_url        the server's URL in the network, for a class
    logs               removes typed text from log records

Middleware and routes
    security_headers   headers that restrict what a browser may load, and who may frame the app
    host_check         checks of Host and Origin
    session_limit      a limit on the number of open tabs
    page_script        our script in Streamlit's page, which reports a missing connection
    message_filter     drops messages that are for developers, and delays those that come too fast
    run_limit          a limit on the number of pages that run at a time
    component_files    our components' files, under a versioned URL that browsers cache
    home_redirect      redirects /playground to the first page
    requests           reads bodies within a limit, and finds the object that a ticket names

Sessions
    ended_sessions     ends a session after its browser has disconnected
    error_message      the message that a page shows for an unhandled error

Streamlit
    streamlit_fixes    fixes of three bugs of Streamlit, for tested versions
"""
