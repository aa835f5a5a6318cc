"""A FastAPI app that enqueues with the asyncio client, and one endpoint that waits for the result."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request

from corvo_sdk import AsyncClient, Worker
from corvo_sdk.errors import Unavailable, WaitedTooLong


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """One client for the whole app: it keeps its connections open."""
    async with AsyncClient() as client:
        app.state.corvo = client
        yield


app = FastAPI(lifespan=lifespan)


def corvo(request: Request) -> AsyncClient:
    return request.app.state.corvo


Corvo = Annotated[AsyncClient, Depends(corvo)]


@app.post("/orders/{number}", status_code=202)
async def order(number: int, corvo: Corvo) -> dict[str, str]:
    try:
        enqueued = await corvo.enqueue("example.fastapi", {"order": number}, unique_key=f"order-{number}")
    except Unavailable as error:
        raise HTTPException(503, str(error)) from error
    return {"job": enqueued.job_id}


@app.get("/quotes/{number}")
async def quote(number: int, corvo: Corvo) -> dict[str, int]:
    enqueued = await corvo.enqueue("example.fastapi", {"order": number})
    try:
        return await corvo.result(enqueued.job_id, timeout="10s")
    except WaitedTooLong as error:
        raise HTTPException(504, str(error)) from error


worker = Worker()


@worker.task("example.fastapi")
async def price(job):
    return {"price": job.payload["order"] * 3}


def main() -> None:
    from fastapi.testclient import TestClient

    with TestClient(app) as browser:
        first, again = browser.post("/orders/7"), browser.post("/orders/7")
        print("accepted:", first.status_code, "once:", first.json() == again.json())
        with worker.running():
            print(browser.get("/quotes/14").json())


if __name__ == "__main__":
    main()
