"""Looking: pages of runs, cards and answers agree with the commands, and an address reproduces the whole view."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shlex
import shutil
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from tests.conftest import Command
from tests.report.test_page import MIXED, WHATIF
from tests.tiers import first_quick
from tests.workbench.client import Caller, Reply
from wsim.errors import UserError
from wsim.installed import QUESTIONS
from wsim.lab.plan import Plan
from wsim.lab.run import record
from wsim.workbench import answer_page, run_page, table_view
from wsim.workbench.overview import close_games
from wsim.workbench.table_view import TableView


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with two runs and an answer."""
    root = tmp_path_factory.mktemp("look")
    record(Plan.make(games=120, seed=3, policies=MIXED), root / "one")
    record(Plan.make(games=60, seed=3, players=3, policies=MIXED[:3], picks=True), root / "three")
    plan = {"game": "seven_wonders", "ruleset": "1e", "players": 4, "policies": ["net"]}
    (root / "palace.json").write_text(json.dumps({**WHATIF, "baseline": {"plan": plan}}))
    return root


@pytest.fixture
def caller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A browser that has opened the folder with ``wsim open``."""
    monkeypatch.chdir(folder)
    return Caller(folder)


def command_of(reply: Reply) -> list[str]:
    found = re.findall(r"<code>(wsim [^<]*)</code>", reply.text)
    return shlex.split(html.unescape(found[-1]))


def frame_of(text: str) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(text), comment_prefix="#", infer_schema_length=None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "table=wonders",
        "table=cards&sort=score&top=4",
        "table=cards&by=wonder&filter=wonder%3DGizah&filter=n%3E%3D2&option.raw=1&level=0.9",
        "table=policies&by=seat&sort=-seat",
        "table=synergies&option.card=Palace&top=3",
        "table=wonders&won_by=5",
    ],
)
def test_a_table_agrees_with_its_command(caller: Caller, wsim_command: Command, query: str) -> None:
    """The same rows and the same words about them."""
    reply, file = caller.get(f"/run?run=one&{query}"), caller.get(f"/run.csv?run=one&{query}")
    assert (reply.status, file.status) == (200, 200)
    words = command_of(reply)
    answer = wsim_command(*words[1:], "--csv", "-")
    assert answer.code == 0, answer.err
    assert file.text == answer.out
    rows = frame_of(file.text).height
    assert reply.text.count("<tr>") == rows + 1


@pytest.mark.slow
def test_runs_are_shown_side_by_side(caller: Caller, wsim_command: Command) -> None:
    reply = caller.get("/run?run=one&run=three&table=policies")
    assert reply.status == 200
    assert command_of(reply) == ["wsim", "table", "one", "three", "policies"]
    assert set(frame_of(caller.get("/run.csv?run=one&run=three&table=policies").text)["players"]) == {3, 4}


@pytest.mark.slow
def test_a_run_page_starts_with_three_sentences_and_two_charts(caller: Caller) -> None:
    text = html.unescape(caller.get("/run?run=one").text)
    (sentences,) = re.findall(r'<ol class="sentences">(.*?)</ol>', text, re.DOTALL)
    assert sentences.count("<li>") == 3
    assert "120 games of 7 Wonders (1e) with 4 players, played by" in sentences
    assert text.count('<div class="for-wide"><svg') == 2
    assert {"/run?run=one&table=wonders", "/run?run=one&table=cards"} <= set(re.findall(r'href="([^"]*)"', sentences))


def test_an_overview_that_cannot_be_prepared_is_drawn_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files can be damaged, or be written anew while they are read."""
    app: Any = SimpleNamespace(state=SimpleNamespace(tables=None))
    failures = (UserError("no"), FileNotFoundError("gone"), pl.exceptions.ComputeError("bad data"), KeyError("bug"))
    for reason in failures:

        def overview(*_: object, reason: Exception = reason) -> None:
            raise reason

        monkeypatch.setattr(run_page, "overview", overview)
        with pytest.raises(KeyError, match="bug") if isinstance(reason, KeyError) else nullcontext():
            run_page.draw_overview(app, "run")


@pytest.mark.slow
def test_first_page_loads_are_small(caller: Caller) -> None:
    """Together, as they are sent: fewer than 100 kB, so that a phone shows them at once."""

    def sent(address: str) -> int:
        return int(caller.get(address, accept_encoding="gzip").headers["content-length"])

    for address in ("/", "/run?run=one", "/run?run=one&table=cards&charts=1", "/cards", "/move?at=Palace", "/play"):
        files = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', caller.get(address).text))
        assert len(files) >= 3
        assert sent(address) + sum(map(sent, files)) < 100_000, address


@pytest.mark.slow
def test_differences_between_two_runs_match_their_rows(caller: Caller, wsim_command: Command, tmp_path: Path) -> None:
    started = caller.get("/run?run=one&run=three")
    assert started.status == 307
    reply = caller.get(started.headers["location"])
    assert reply.status == 200
    assert "3 players minus 4 players" in reply.text
    assert "different fair shares" in reply.text
    query = "run=one&run=three&table=cards"
    command = command_of(caller.get(f"/run?{query}&beside=1"))
    assert command == ["wsim", "table", "one", "three", "cards", "--beside"]
    assert wsim_command(*command[1:], "--csv", str(tmp_path / "beside.csv")).code == 0
    shown = caller.get(f"/run.csv?{query}&beside=1").text
    assert frame_of((tmp_path / "beside.csv").read_text()).equals(frame_of(shown))
    alone = wsim_command("table", "one", "cards", "--beside")
    assert (alone.code, alone.err) == (2, "wsim: --beside needs two or more runs: name a second run before the table\n")
    both = frame_of(shown).filter(pl.col("card") == "Palace").to_dicts()[0]
    single = frame_of(caller.get(f"/run.csv?{query}").text).filter(pl.col("card") == "Palace")
    by_players = dict(zip(single["players"], single["win_difference"], strict=True))
    assert both["win_difference_difference_1"] == pytest.approx(by_players[3] - by_players[4])
    assert caller.get("/run?run=one&run=three&table=policies&beside=1").status == 200
    refused = caller.get("/run?run=one&run=three&table=variance&beside=1")
    assert (refused.status, "no rows to put side by side" in refused.text) == (400, True)


def test_chips_add_and_remove_values_of_a_column(caller: Caller) -> None:
    def chips(text: str) -> dict[str, tuple[str, bool]]:
        found = re.findall(r'<a class="pick" href="([^"]*)"([^>]*)>(?:<i></i>)?([^<]*)</a>', html.unescape(text))
        return {value: (link, "aria-current" in more) for link, more, value in found}

    first = chips(caller.get("/run?run=one&table=cards").text)
    assert {"brown", "red", "1", "3"} <= first.keys()
    second = caller.get(first["red"][0])
    both = caller.get(chips(second.text)["blue"][0])
    found = chips(both.text)
    assert (found["red"][1], found["blue"][1], found["brown"][1]) == (True, True, False)
    rows = frame_of(caller.get(found["charts"][0].replace("/run?", "/run.csv?")).text)
    assert set(rows["color"]) == {"red", "blue"}
    assert "filter" not in chips(caller.get(found["red"][0]).text)["blue"][0]


def test_columns_are_selected_by_the_address(caller: Caller) -> None:
    text = caller.get("/run?run=one&table=cards&column=score&column=n").text
    heads = re.findall(r'<th scope="col"[^>]*><a [^>]*>([^<]*)</a>', text)
    assert heads == ["Card", "N" if "N" in heads else "n", "Score"]
    assert "--wide" in text
    refused = caller.get("/run?run=one&table=cards&column=scor")
    assert refused.status == 400
    assert "did you mean &#39;score&#39;" in refused.text


@pytest.mark.slow
def test_ticked_rows_are_compared_as_cards_and_in_charts(caller: Caller) -> None:
    text = caller.get("/run?run=one&table=cards&filter=age%3D3").text
    assert '<input type="checkbox" name="pick" value="Palace" form="ticked"' in text
    reply = caller.get("/run?run=one&table=cards&filter=age%3D3&pick=Palace&pick=Arena")
    assert reply.status == 307
    shown = caller.get(reply.headers["location"]).text
    assert set(re.findall(r'<th scope="row"[^>]*data-face="([^"]*)"', shown)) == {"Palace", "Arena"}
    assert shown.count('<li><article class="face"') == 2
    assert '<div class="chart"' in shown


@pytest.mark.slow
def test_a_table_without_a_chart_says_so(caller: Caller) -> None:
    assert "This table has no chart" in caller.get("/run?run=one&table=variance&charts=1").text
    assert "This table has no chart" not in caller.get("/run?run=one&table=cards&charts=1").text


def test_headings_sort_both_ways_and_keep_the_filters(caller: Caller) -> None:
    text = html.unescape(caller.get("/run?run=one&table=cards&filter=age%3D3").text)
    link = next(one for one in re.findall(r'<a href="(/run\?[^"]*sort=[^"]*)"', text) if "sort=n&" in f"{one}&")
    assert "filter=age%3D3" in link
    sorted_by_n = html.unescape(caller.get(link).text)
    assert 'aria-sort="descending"' in sorted_by_n
    assert "sort=-n" in sorted_by_n
    numbers = frame_of(caller.get(link.replace("/run?", "/run.csv?")).text)["n"].to_list()
    assert numbers == sorted(numbers, reverse=True)


def test_an_address_reproduces_the_whole_view() -> None:
    query = [
        ("run", "a b"), ("run", "c"), ("table", "cards"), ("by", "wonder,seat"), ("level", "0.9"), ("won_by", "0"),
        ("wide", "1"), ("sort", "-n"), ("top", "3"), ("filter", "n>=1"), ("charts", "1"), ("option.raw", "1"),
    ]  # fmt: skip
    view = TableView.of(query)
    assert view.query() == query
    assert TableView.of([*query, ("filter", ""), ("run", "c")]) == view


@pytest.mark.slow
def test_charts_can_be_saved_without_the_style_sheet(caller: Caller) -> None:
    reply = caller.get("/run?run=one&table=wonders&charts=1")
    assert reply.text.count('<div class="for-wide"><svg') == 2
    file = caller.get("/chart.svg?run=one&table=wonders&figure=1")
    assert file.headers["content-type"] == "image/svg+xml"
    assert file.text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "var(" not in file.text
    assert "#c8452f" in file.text  # military, on paper
    assert caller.get("/chart.svg?run=one&table=wonders&figure=2").status == 400
    assert caller.get("/chart.pdf?run=one&table=wonders").status == 400


def test_a_card_has_a_page(caller: Caller, wsim_command: Command) -> None:
    link = re.search(r'href="(/thing\?[^"]*Palace)"', caller.get("/run?run=one&table=cards").text)
    assert link is not None
    text = html.unescape(caller.get(html.unescape(link[1])).text)
    assert "1 clay, 1 stone" in text
    assert "Owners" in text
    row = frame_of(wsim_command("table", "one", "cards", "--filter", "card=Palace", "--csv", "-").out).row(
        0, named=True
    )
    assert f"{row['score']:.3f}" in text
    assert f"{row['score_low']:.2f} to {row['score_high']:.2f}" in text


@pytest.mark.slow
def test_pages_of_items_show_more_on_request(caller: Caller) -> None:
    page = "/thing?run=one&table=cards&name=Palace"
    assert "wsim table one cards --by wonder --filter card=Palace" in caller.get(f"{page}&show=by:wonder").text
    assert "wsim table one synergies --top 20 --card Palace" in caller.get(f"{page}&show=synergies").text
    games = caller.get(f"{page}&show=games").text
    rows = re.findall(r'<tr>\n<th scope="row" data-key="(\d+)">', games.partition('id="games"')[2])
    seats = pl.read_parquet(f"one/seats/part-{0:014}.parquet")
    won = seats.filter(pl.col("game") == int(rows[0]), pl.col("built:Palace") > 0, pl.col("win_share") > 0)
    assert len(rows) == 10
    assert len(won) > 0
    assert f'<a href="/analyse?run=one&amp;number={rows[0]}">{rows[0]}</a>' in games
    assert caller.get("/thing?run=one&table=wonders&name=Gizah").status == 200
    assert "did you mean &#39;Palace&#39;?" in caller.get("/thing?run=one&table=cards&name=Palac").text


def test_a_page_of_a_card_omits_points_that_the_rules_do_not_have(caller: Caller) -> None:
    figures = caller.get("/thing?run=one&table=cards&name=Palace").text.partition('id="figures-0"')[2]
    figures = figures.partition('id="more"')[0]
    assert '<th scope="row" data-key="Guild">' in figures
    assert "Cities" not in figures


def test_a_table_that_a_run_cannot_have_leads_back_to_the_run(caller: Caller) -> None:
    reply = caller.get("/run?run=one&table=drafting")
    assert reply.status == 400
    assert '<a href="/run?run=one">Overview of the run</a>' in reply.text
    assert '<a href="/">Studies</a>' in caller.get("/run?run=missing").text.partition("<main>")[2]


def test_a_card_page_begins_with_what_was_found(caller: Caller) -> None:
    text = html.unescape(caller.get("/thing?run=one&table=wonders&name=Rhodos").text)
    first = text.partition("<main>")[2].partition("</section>")[0]
    assert len(re.findall(r"<li>Rhodos [AB] wins [\d.]+ times its fair share", first)) == 2
    assert "Results" not in first


def test_a_long_table_shows_its_first_rows_and_a_link_to_all(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_page, "MAX_PUBLISHED", 3)
    text = html.unescape(caller.get("/run?run=one&table=wonders").text)
    found = re.search(r"(\d+) rows; the first 3 are shown\. <a href=\"([^\"]*)\">Show all rows", text)
    assert found is not None
    assert text.count('<th scope="row"') == 3
    every = caller.get(found[2]).text
    assert every.count('<th scope="row"') == int(found[1])
    assert "Show all rows" not in every


def test_every_question_about_a_card_is_offered(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(QUESTIONS, "toy", "tests.questions.toy_question:QUESTION")
    text = html.unescape(caller.get("/thing?run=one&table=cards&name=Palace").text)
    links = re.findall(r'<a href="/ask/(\w+)\?game=seven_wonders&ruleset=1e&players=4&([^"]*)">([^<]*)</a>', text)
    assert links == [
        ("whatif", "ban=Palace", "What if a seat may not have this card?"),
        ("picks", "card=Palace", "What does taking this card cause?"),
        ("toy", "about=Palace", "How many squares has this card?"),
    ]


@pytest.mark.slow
def test_an_item_is_compared_across_player_counts(caller: Caller, wsim_command: Command) -> None:
    text = html.unescape(caller.get("/thing?run=one&table=cards&name=Palace").text)
    link = re.search(r'<a href="(/thing[^"#]*)#more">by number of players', text)
    assert link is not None
    reply = caller.get(link[1])
    words = re.findall(r"<code>(wsim table[^<]*)</code>", reply.text)
    assert words == ["wsim table one three cards --filter card=Palace"]
    rows = frame_of(wsim_command(*shlex.split(words[0])[1:], "--csv", "-").out)
    assert rows["players"].sort().to_list() == [3, 4]
    figures = html.unescape(reply.text).partition('id="figures"')[2]
    assert all(f'data-key="{score!r}"' in figures for score in rows["win_difference"])
    assert "by number of players" not in caller.get(f"{link[1]}&show=by:policy").text


@pytest.mark.slow
def test_a_card_is_split_by_when_it_was_taken_if_recorded(caller: Caller, wsim_command: Command) -> None:
    """The same rows as of the command; a run without picks does not offer it."""
    page = "/thing?run=three&table=cards&name=Palace"
    assert "drafting%3Aturn" in caller.get(page).text
    assert "drafting%3Aturn" not in caller.get(page.replace("three", "one")).text
    text = caller.get(f"{page}&show=drafting:turn").text
    assert "wsim table three drafting --by turn --sort=-turn --filter card=Palace" in text
    rows = frame_of(wsim_command("table", "three", "drafting", "--by=turn", "--filter=card=Palace", "--csv", "-").out)
    assert rows["turn"].n_unique() > 2
    shown = text.partition('id="by"')[2].partition("</table>")[0]
    assert shown.count("<tr>") == rows.height + 1
    assert all(f'data-key="{seen}"' in shown for seen in rows["n_seen"])


@pytest.mark.slow
def test_an_answer_is_shown_with_the_command_that_repeats_it(caller: Caller) -> None:
    reply = caller.get("/answer?file=palace.json")
    assert reply.status == 200
    assert command_of(reply) == ["wsim", "rerun", "palace.json"]
    assert "Palace, points 6" in reply.text
    assert "<svg" in reply.text
    assert 'href="/answer.png?file=palace.json&amp;figure=0"' in reply.text
    chart = caller.get("/answer.svg?file=palace.json&figure=0")
    assert chart.headers["content-type"] == "image/svg+xml"
    assert 'filename="palace-0.svg"' in chart.headers["content-disposition"]
    assert "Palace" in chart.text
    assert "var(" not in chart.text
    assert caller.get("/answer.svg?file=palace.json&figure=1").status == 400
    file = caller.get("/answer.csv?file=palace.json&table=effects").text
    rows = list(csv.DictReader(line for line in file.splitlines() if not line.startswith("#")))
    assert [row["variant"] for row in rows] == [f"cards.Palace.points={value}" for value in (6, 7, 9)]


@pytest.mark.slow
@pytest.mark.parametrize(("most", "folded"), [(2, True), (3, False)])
def test_a_long_table_below_a_chart_is_folded(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, most: int, folded: bool
) -> None:
    monkeypatch.setattr(answer_page, "MOST_ROWS", most)
    text = caller.get("/answer?file=palace.json").text
    assert text.count("<td") > 3
    assert ("<summary>All 3 rows: " in text) is folded


@first_quick(
    7,
    ("path", "sentence"),
    [
        ("/run", "name a run"),
        ("/run?run=nowhere", "does not exist"),
        ("/run?run=../look", "is not in the opened folder|does not exist|contains no wsim run"),
        ("/run?run=one&table=cardz", "did you mean 'cards'?"),
        ("/run?run=one&table=cards&filter=x%3D1", "has no column 'x'"),
        ("/run?run=one&table=cards&filter=policy%3Dnet", "which --by policy adds"),
        ("/run?run=one&table=cards&sort=nn", "has no column 'nn'"),
        ("/run?run=one&table=cards&top=0", "top must be at least 1"),
        ("/run?run=one&table=cards&top=x", "is not a whole number"),
        ("/run?run=one&table=cards&won_by=x", "is not a whole number"),
        ("/run?run=one&table=cards&level=2", "confidence level"),
        ("/run?run=one&table=cards&level=x", "is not a number"),
        ("/run?run=one&table=cards&option.no=1", "has no option '--no'"),
        ("/run?run=one&table=cards&by=nothing", "has no column 'nothing'"),
        ("/thing?run=one&table=cards&name=<b>", "has no card '<b>'"),
        ("/thing?run=one&table=variance&name=wonder", "rows of the table variance have no pages"),
        ("/answer?file=nowhere.json", "contains no file"),
        ("/answer?file=one/run.json", "is not an answer of wsim"),
        ("/answer.csv?file=palace.json&table=x", "has no table 'x'"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(caller: Caller, path: str, sentence: str) -> None:
    reply = caller.get(path)
    assert reply.status == 400
    assert re.search(sentence.replace("?", r"\?"), html.unescape(reply.text))
    assert "<b>" not in reply.text


def test_a_run_deleted_while_shown_is_reported_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "one", tmp_path / "gone")
    caller = Caller(tmp_path)
    assert caller.get("/run?run=gone&table=policies").status == 200
    shutil.rmtree(tmp_path / "gone" / "seats")
    (tmp_path / "gone" / "seats").mkdir()
    assert caller.get("/run?run=gone&table=policies&by=seat").status in (400, 500)
    shutil.rmtree(tmp_path / "gone")
    reply = caller.get("/run?run=gone&table=policies")
    assert reply.status == 400
    assert "does not exist" in reply.text


def test_tables_are_read_only_once(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert caller.get("/run?run=one&table=cards").status == 200
    monkeypatch.setattr("wsim.lab.store.load_run", lambda *_: pytest.fail("the run was opened again"))
    assert caller.get("/run?run=one&table=cards&filter=age%3D1&sort=n").status == 200


@pytest.mark.slow
def test_the_page_of_a_large_run_loads_before_its_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_view, "LARGE", 0)
    caller, done = Caller(folder), Event()
    monkeypatch.setattr(run_page, "_prepare_tables", lambda *_: done.set())
    for address in ("/run?run=one", "/run?run=one&table=matchups", "/run?run=one&run=three&table=cards&beside=1"):
        done.clear()
        waiting = caller.get(address)
        assert (waiting.status, 'id="waiting"' in waiting.text) == (200, True)
        made = caller.get(address, x_wait="1").text
        assert 'id="waiting"' not in made
        assert done.wait(60)  # the other tables follow
        assert caller.get(address).text == made
    refused = caller.get("/run?run=one&table=nothing", x_wait="1")
    assert (refused.status, "nothing" in refused.text) == (400, True)


def test_confidence_levels_are_checked_as_on_the_command_line() -> None:
    with pytest.raises(UserError, match="must be between 0 and 1"):
        TableView.of([("run", "a"), ("level", "95")])


@pytest.mark.slow
def test_games_are_distinguished_by_how_they_were_won(caller: Caller) -> None:
    """The games are those of a reader of the rows, and all of their seats count."""
    seats = pl.read_parquet(f"one/seats/part-{0:014}.parquet")
    margins = {}
    for (game,), rows in seats.group_by("game"):
        won, lost = rows.filter(pl.col("win_share") > 0), rows.filter(pl.col("win_share") == 0)
        margins[game] = won["total"][0] - max(lost["total"]) if len(lost) else -1
    wanted = [game for game, margin in margins.items() if margin >= 5]
    assert 0 < len(wanted) < len(margins)
    rows = frame_of(caller.get("/run.csv?run=one&table=policies&won_by=5").text)
    assert rows["n"].sum() == 4 * len(wanted)
    mine = seats.filter(pl.col("game").is_in(wanted), pl.col("policy") == "science")
    assert rows.filter(pl.col("policy") == "science")["score"].item() == pytest.approx(mine["total"].mean())
    assert "only those won by at least 5 points" in caller.get("/run?run=one&table=policies&won_by=5").text


@pytest.mark.parametrize(("ruleset", "players", "sides"), [("1e", 3, "seat"), ("2e-cities-teams", 4, "team")])
def test_the_closest_games_are_those_with_the_smallest_lead(
    tmp_path: Path, ruleset: str, players: int, sides: str
) -> None:
    run = record(Plan.make(ruleset=ruleset, players=players, games=40, seed=5, policies="random"), tmp_path / "run")
    best: dict[int, dict[int, int]] = {}
    for game, side, total in run.seats.select("game", sides, "total").collect().iter_rows():
        scores = best.setdefault(game, {})
        scores[side] = scores.get(side, 0) + total
    ordered = {game: sorted(scores.values(), reverse=True)[:2] for game, scores in best.items()}
    closest = sorted(ordered, key=lambda game: (ordered[game][0] - ordered[game][1], game))[:3]
    assert close_games(run) == [(game, f"{ordered[game][0]} to {ordered[game][1]}") for game in closest]
    empty: Any = SimpleNamespace(seats=run.seats.filter(False), people=None, plan=run.plan)
    assert close_games(empty) == []
