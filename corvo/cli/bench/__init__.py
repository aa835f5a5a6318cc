"""The load that `corvo bench` puts on a server, and what it makes of it.

    plan -> load: producers and workers -> load clients: single, batch, stream -> links: HTTP/1.1, HTTP/2
                  figures -> report

The generator must be cheap, because it often shares the machine with the server: canned requests, one loop,
and of an answer only what is needed is decoded.
"""
