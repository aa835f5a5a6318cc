"""A Django view that enqueues when its transaction has committed, and not when it was rolled back.

One file, so that it fits on a page; in a real project the Client lives in an AppConfig or in its own module.
"""

import uuid

import django
from django.conf import settings
from django.db import models, transaction
from django.http import HttpRequest, JsonResponse
from django.urls import path

from corvo_sdk import Client

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    ROOT_URLCONF=__name__,
    SECRET_KEY="an example has no secrets",
    USE_TZ=True,
)
django.setup()

corvo = Client()


class Order(models.Model):
    number = models.UUIDField(default=uuid.uuid4)
    what = models.TextField()

    class Meta:
        app_label = "shop"


@transaction.atomic
def order(request: HttpRequest) -> JsonResponse:
    placed = Order.objects.create(what=request.POST["what"])
    # Only when the order is there for good. The key makes it one job per order, however often it is sent.
    transaction.on_commit(
        lambda: corvo.enqueue("example.django", {"order": placed.pk}, idempotency_key=f"ship-{placed.number}")
    )
    if placed.what == "nonsense":
        raise ValueError("no such thing")
    return JsonResponse({"order": placed.pk})


urlpatterns = [path("orders/", order)]


def main() -> None:
    from django.db import connection
    from django.test import Client as Browser

    with connection.schema_editor() as editor:
        editor.create_model(Order)
    before = len(list(corvo.jobs.find(queue="example.django")))
    browser = Browser(raise_request_exception=False)
    print("good:", browser.post("/orders/", {"what": "a book"}).json())
    print("bad:", browser.post("/orders/", {"what": "nonsense"}).status_code)
    print("jobs:", len(list(corvo.jobs.find(queue="example.django"))) - before)


if __name__ == "__main__":
    main()
