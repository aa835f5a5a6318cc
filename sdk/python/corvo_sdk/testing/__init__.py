"""Tests against a real server in the same process, with a clock that can be pushed forward.

    def test_reminder_comes_after_two_hours(corvo):        # the pytest fixture
        remind_later(corvo.client)
        corvo.clock.advance("2h")
        corvo.assert_enqueued("reminders", payload={"user": 7}, state="pending")

Needs the server package: `pip install corvo-sdk[testing]`.
"""

from corvo_sdk.testing.sandbox import Sandbox, sandbox

__all__ = ["Sandbox", "sandbox"]
