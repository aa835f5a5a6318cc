"""A worker's stream: one HTTP request whose body does not end, over HTTP/1.1 or HTTP/2.

streaming --lines--> [stream: dialing -> carrier (http1 | http2)] --> server
"""
