"""Corvo beside what people would use instead: one machine, one run, one payload, eight workers.

    python -m bench.peers [--quick] [--only celery,rq]

Each peer runs on a server of its own, in a folder and on a port of its own under build/peers, made anew for
every measurement. What a peer's producers and workers do is a small program in `programs`, run by that
peer's own interpreter or built from Go; how it is started and configured is a small module in `kinds`.

The peers: Celery, Dramatiq, RQ, arq and BullMQ on Redis, Procrastinate, pg-boss, River and Temporal on
PostgreSQL, beanstalkd and Faktory.
"""
