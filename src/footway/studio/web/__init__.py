"""The web server: routes and sockets, access control, connected browsers."""
