"""Pages over the dashboard: help, and the details of one thing."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

HELP = """\
1 to 5, Tab     another table
up, down        choose a row
Enter           details of the row
/               filter; on Jobs a query, such as  state:dead error~timeout age>1h
Esc             no filter; close this
p               pause the queue, or resume it
R               retry the job
C               cancel the job
D               delete the job
?               this help
q               leave

Capital letters mean that you are sure: they act without asking.
"""


class TopPage(ModalScreen[None]):
    """Text to read; any of the keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
        ("question_mark", "dismiss", "Close"),
    ]
    CSS = """
    TopPage { align: center middle; }
    TopPage VerticalScroll {
        width: 80%; height: 80%; border: round $accent; background: $surface; padding: 1 2;
    }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        # Text, not markup: brackets in a payload are brackets.
        yield VerticalScroll(Static(Text(self._text)))
