"""Footway studio: a local web server that shows a map, answers questions and runs a crowd.

browser <--wire--> server --asks--> desk --> document, paths, layers, live crowd, drawing, replay

`server` and `watchers` are the only modules with asyncio; all others are plain functions and
values that can be used, and tested, without a server. `static` is built from the folder web.
"""
