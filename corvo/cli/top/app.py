"""`corvo top`: the live dashboard. Draws the model, and turns keys into requests."""

import threading
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable, Footer, Input, Static, TabbedContent, TabPane

from corvo.cli.output.job_page import page
from corvo.cli.output.output import to_json
from corvo.cli.output.table import clean
from corvo.cli.problems import Problem
from corvo.cli.request.client import Api, segment
from corvo.cli.request.session import Session
from corvo.cli.top.feed import TopFeed
from corvo.cli.top.model import Model
from corvo.cli.top.screens import HELP, TopPage
from corvo.cli.top.tables import BY_NAME, TABLES, Table, cells, titles
from corvo.core.query import language

_DRAW_EVERY_S = 0.5
#: Rows drawn at most: drawing is what costs.
_ROWS_MAX = 100
_CELL_CHARS_MAX = 200


class TopNews(Message):
    """From the feed's threads."""

    def __init__(self, word: str, content: Any) -> None:
        super().__init__()
        self.word = word
        self.content = content


class Dashboard(App[None]):
    TITLE = "corvo top"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *((str(n), f"show('{table.name}')", table.name.capitalize()) for n, table in enumerate(TABLES, 1)),
        # Before all others: what is typed next must already go to the filter, however fast it comes.
        Binding("slash", "filter", "Filter", priority=True),
        ("p", "pause", "Pause"),
        ("R", "act('retry')", "Retry"),
        ("C", "act('cancel')", "Cancel"),
        ("D", "act('delete')", "Delete"),
        ("question_mark", "help", "Help"),
        ("q", "quit", "Quit"),
        # Ctrl-C quits as everywhere else; Textual would only say which key does.
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]
    CSS = """
    #heading { height: 1; padding: 0 1; background: $primary-darken-2; }
    #needle { display: none; }
    TabbedContent, DataTable { height: 1fr; }
    TabPane { padding: 0; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._model = Model()
        self._needles: dict[str, str] = {}
        self._feed = TopFeed(session.api.target, self._tell)
        self._changed = True

    def compose(self) -> ComposeResult:
        yield Static(id="heading")
        with TabbedContent(initial="queues"):
            for table in TABLES:
                with TabPane(table.name.capitalize(), id=table.name):
                    yield DataTable(id=f"table-{table.name}", cursor_type="row", zebra_stripes=True)
        yield Input(placeholder="filter", id="needle")
        yield Footer()

    def on_mount(self) -> None:
        for table in TABLES:
            self._widget(table).add_columns(*titles(table))
        self._widget(BY_NAME["queues"]).focus()
        self._feed.start()
        self.set_interval(_DRAW_EVERY_S, self._draw)
        self.set_interval(1.0, self._tick)

    def on_unmount(self) -> None:
        self._feed.stop()

    # News

    def _tell(self, word: str, content: Any) -> None:
        """Called in threads of the feed."""
        self.post_message(TopNews(word, content))

    @on(TopNews)
    def _hear(self, news: TopNews) -> None:
        self._changed = True
        match news.word:
            case "said":
                self.notify(news.content, markup=False)
            case "failed":
                self.notify(news.content, severity="error", markup=False)
            case "page":
                self.push_screen(TopPage(news.content))
            case _:
                self._model.hear(news.word, news.content)

    def _tick(self) -> None:
        self._model.tick()
        self._changed = True

    # Drawing

    def _draw(self) -> None:
        if not self._changed:
            return
        self._changed = False
        self.query_one("#heading", Static).update(
            Text(f"{self._session.api.address}  {self._model.heading()}")
        )
        table = self._table()
        rows = table.rows(self._model, self._needles.get(table.name, ""))
        widget = self._widget(table)
        chosen = self._chosen_key()
        widget.clear()
        for row in rows[:_ROWS_MAX]:
            widget.add_row(*self._cells(table, row), key=str(row[table.key]))
        if chosen is not None and chosen in widget.rows:
            widget.move_cursor(row=widget.get_row_index(chosen))

    def _cells(self, table: Table, row: dict[str, Any]) -> Iterator[Text]:
        """Text, not markup: brackets in a payload are brackets."""
        shown = cells(table, row, self._model, self._session.out)
        for column, cell in zip_longest(table.columns, shown):
            is_number = column is not None and column.kind == "number"
            yield Text(clean(cell)[:_CELL_CHARS_MAX], justify="right" if is_number else "left")

    def _table(self) -> Table:
        return BY_NAME[self.query_one(TabbedContent).active or "queues"]

    def _widget(self, table: Table) -> DataTable[Text]:
        return self.query_one(f"#table-{table.name}", DataTable)

    def _chosen_key(self) -> str | None:
        widget = self._widget(self._table())
        if not widget.row_count:
            return None
        return widget.coordinate_to_cell_key(widget.cursor_coordinate).row_key.value

    @on(TabbedContent.TabActivated)
    def _turned(self) -> None:
        self._changed = True
        if not self.query_one("#needle", Input).has_focus:
            self._widget(self._table()).focus()

    # Keys

    def action_show(self, name: str) -> None:
        self.query_one(TabbedContent).active = name

    def action_help(self) -> None:
        self.push_screen(TopPage(HELP))

    def action_filter(self) -> None:
        needle = self.query_one("#needle", Input)
        needle.value = self._needles.get(self._table().name, "")
        needle.display = True
        self.screen.set_focus(needle)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the filter a slash is a slash; over a page the table below takes no keys."""
        if action in ("filter", "pause", "act", "show"):
            return not isinstance(self.screen, TopPage) and not self.query_one("#needle", Input).has_focus
        return True

    def key_escape(self) -> None:
        self._filter_by("")

    @on(Input.Submitted)
    def _filtered(self, submitted: Input.Submitted) -> None:
        self._filter_by(submitted.value.strip())

    def _filter_by(self, text: str) -> None:
        table = self._table()
        if table.name == "jobs":
            try:
                self._feed.search(language.parse(text, self._session.clock.now_ns()))
            except language.QueryRefused as refusal:
                self.notify(str(refusal), severity="error", markup=False)
                return
        self._needles[table.name] = text
        self._changed = True
        self.query_one("#needle", Input).display = False
        self.screen.set_focus(self._widget(table))

    @on(DataTable.RowSelected)
    def _details(self) -> None:
        table, key = self._table(), self._chosen_key()
        if key is None:
            return
        if table.name == "jobs":
            self._ask(lambda api: ("page", page(api.get(f"/api/v1/jobs/{segment(key)}"), self._session.out)))
            return
        rows = table.rows(self._model, self._needles.get(table.name, ""))
        row = next((row for row in rows if str(row[table.key]) == key), None)
        self.push_screen(TopPage(to_json(row, indent=2)))

    def action_pause(self) -> None:
        key = self._chosen_key()
        is_paused = None if key is None else self._model.is_paused(key)
        if self._table().name != "queues" or key is None or is_paused is None:
            self.notify("choose a queue first")
            return
        verb = "resume" if is_paused else "pause"
        path = f"/api/v1/queues/{segment(key)}/{verb}"
        self._ask(lambda api: ("said", f"{key} {api.post(path)['status']}"))

    def action_act(self, verb: str) -> None:
        key = self._chosen_key()
        if self._table().name != "jobs" or key is None:
            self.notify("choose a job first")
            return
        path = f"/api/v1/jobs/{segment(key)}"

        def act(api: Api) -> tuple[str, str]:
            answer = api.delete(path) if verb == "delete" else api.post(f"{path}/{verb}")
            return "said", f"{key} {answer['status']}"

        self._ask(act)

    def _ask(self, question: Callable[[Api], tuple[str, str]]) -> None:
        """In a thread: the screen does not wait for the network."""

        def run() -> None:
            try:
                word, content = question(Api(self._session.api.target))
            except Problem as problem:
                word, content = "failed", problem.message
            self._tell(word, content)
            self._feed.hurry()

        threading.Thread(target=run, daemon=True).start()
