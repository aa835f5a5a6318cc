"""The worker runtime: fetcher -> handlers -> committer, and one heartbeat for all jobs in hand.

server --fetch--> [fetcher] --> [crew: threads and tasks] --> [committer] --ack, fail, release--> server
                      \\____________ [hand: every job we hold a lease of] ____________/
                                         ^--- [heart]: keeps the leases ---> server

Whatever is said goes through a Transport: streams, or long-poll where there is no way through for them.
"""
