"""The page of `probtest report`, in a real browser. Screenshots go to target/browser."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from . import report_sample
from .command import TARGET, probtest

PICTURES = TARGET / "browser"

LINE = "pytest tests/test_lake.py::test_agent_reaches_the_goal --probtest-replay 0x5eed:212"
#: The paper's numbers: p, epsilon, executions.
PAPER = [
    ("0.01", "0.02", "390"),
    ("1/1024", "0.02", "4004"),
    ("0.25", "0.05", "11"),
    ("0.0625", "0.05", "47"),
    ("0.0156", "0.05", "191"),
    ("0.0039", "0.05", "767"),
    ("0.01", "0.05", "299"),
    ("0.001", "0.05", "2995"),
]


Show = Callable[..., Page]


def report_of(folder: Path, *results: dict[str, Any]) -> Path:
    """Return the page that the command makes of these results."""
    (folder / "results.json").write_text("".join(map(json.dumps, results)))
    made = probtest("report", folder / "results.json", "--html", folder / "report.html")
    assert made.returncode == 0, made.stderr
    return folder / "report.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a suite with every verdict and a hostile name."""
    return report_of(tmp_path_factory.mktemp("page"), report_sample.sample())


@pytest.fixture
def page(show: Show, report: Path) -> Page:
    """Return a fresh window with that page, wide and light."""
    return show(report)


def names(page: Page) -> list[str]:
    """Return the names of the tests that are shown, in their order."""
    return page.locator(".test:visible .name").all_text_contents()


def numbers(page: Page, key: str) -> list[float]:
    return page.locator(".test").evaluate_all("(all, key) => all.map(t => Number(t.dataset[key]))", key)


def width_of(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth")


def test_the_page_loads_without_errors_and_asks_for_nothing(page: Page, report: Path) -> None:
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.locator("h1")).to_have_text("4 of 10 tests need attention")
    for selector in ("#open-all", "[data-sort=name]", "[data-copy]", "#open-all"):
        page.click(selector)
    assert (said, asked) == ([], [report.as_uri()])


def test_a_script_that_a_test_brings_stays_text(page: Page) -> None:
    assert report_sample.HOSTILE in names(page)
    texts = page.locator("pre").all_text_contents()
    assert any(text.startswith("<img src=x onerror=alert(1)> & \\u{1b}[31m") for text in texts)
    expect(page.locator("script, img")).to_have_count(1)


def test_the_policy_stops_scripts_styles_and_requests(page: Page) -> None:
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.evaluate(
        """() => {
        const put = (tag, its) => document.body.append(Object.assign(document.createElement(tag), its));
        put("script", { textContent: "window.broken = 1" });
        put("style", { textContent: "h1 { display: none }" });
        put("img", { src: "http://127.0.0.1:9/x.png" });
        }"""
    )
    assert page.evaluate("window.broken || 0") == 0
    expect(page.locator("h1")).to_be_visible()
    assert len([words for words in said if "Content Security Policy" in words]) >= 3, said


def test_tests_are_sorted_by_attention_and_by_every_column(page: Page) -> None:
    assert numbers(page, "rank") == list(range(10))
    for key in ("executed", "seconds", "highest"):
        for descending in (True, False):
            page.click(f"[data-sort={key}]")
            assert numbers(page, key) == sorted(numbers(page, key), reverse=descending), key
    expect(page.locator("[data-sort=highest]")).to_have_attribute("aria-pressed", "true")
    page.click("[data-sort=name]")
    assert names(page) == sorted(names(page), key=str.lower)
    page.click("[data-sort=rank]")
    assert numbers(page, "rank") == list(range(10))


def test_the_filter_looks_at_names_and_claims_and_says_how_many_are_shown(page: Page) -> None:
    page.fill("#filter", "LAKE goal")
    assert len(names(page)) == 2
    expect(page.locator("#shown")).to_have_text("2 of 10 tests shown")
    page.fill("#filter", "p = 0.001")
    assert names(page) == ["tests/test_lake.py::test_agent_reaches_the_goal[4x4]"]
    page.fill("#filter", "no such test")
    assert names(page) == []
    page.click("#reset")
    assert len(names(page)) == 10
    page.click("input[value=passed]")
    assert len(names(page)) == 4
    page.click("input[value=violated]")
    assert len(names(page)) == 2


def test_failures_are_expanded_and_others_can_be(page: Page) -> None:
    def opened() -> list[bool]:
        return page.locator(".test details").evaluate_all("all => all.map(d => d.open)")

    button = page.locator("#open-all")
    assert opened() == [True] * 4 + [False] * 6
    page.click(".test[data-status=passed] summary")
    assert opened() == [True] * 5 + [False] * 5
    for before, after, is_open in [
        ("Expand all", "Collapse all", True),
        ("Collapse all", "Expand all", False),
    ]:
        expect(button).to_have_text(before)
        button.click()
        expect(button).to_have_text(after)
        assert opened() == [is_open] * 10
    # Its text says what it does; a pressed state beside it would say the opposite.
    expect(button).not_to_have_attribute("aria-pressed", re.compile(""))


def test_everything_can_be_reached_and_worked_by_keyboard(page: Page) -> None:
    page.press(".test[data-status=passed] summary", "Enter")
    assert page.evaluate("document.activeElement.parentElement.open") is True
    worked = page.locator("button, input, select, a, summary")
    assert worked.evaluate_all("all => all.filter(e => e.offsetParent && e.tabIndex < 0).length") == 0
    unnamed = page.locator("button, input, select, a, summary, svg[role=img]").evaluate_all(
        """all => {
        const named = e => e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label');
        return all.filter(e => !named(e)).map(e => e.outerHTML);
        }"""
    )
    assert unnamed == []


def test_names_are_heard_as_they_are_written(page: Page) -> None:
    # Where a line may be broken, a browser puts a space into what it tells screen readers.
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    heard = [node["name"]["value"] for node in nodes if "DisclosureTriangle" in node["role"]["value"]]
    for name in names(page):
        assert any(name in words for words in heard), (name, heard)


@pytest.mark.parametrize("way", ["clipboard", "fallback"])
def test_the_replay_line_is_copied_from_a_file_on_disk(page: Page, way: str) -> None:
    # Something else is in the clipboard before.
    page.fill("#filter", "something else")
    page.press("#filter", "Control+a")
    page.press("#filter", "Control+x")
    if way == "fallback":
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.click(".test[data-status=violated] [data-copy]")
    expect(page.locator("#said")).to_have_text("copied")
    page.press("#filter", "Control+v")
    expect(page.locator("#filter")).to_have_value(LINE)


def test_the_planner_has_the_papers_numbers(page: Page) -> None:
    page.fill("#plan-seconds", "1")
    for p, epsilon, executions in PAPER:
        choose(page, "#plan-p", p)
        choose(page, "#plan-epsilon", epsilon)
        expect(page.locator("#plan-k")).to_have_text(f"{executions} executions")
        expect(page.locator("td.chosen")).to_have_count(1)
        expect(page.locator("td.chosen")).to_have_attribute("data-k", executions)


def test_the_planner_tells_the_time_and_what_is_no_time(page: Page) -> None:
    choose(page, "#plan-p", "0.001")
    for seconds, words in [
        ("0.1", "about 5 min"),
        ("2", "about 1.7 h"),
        ("0,5", "about 25 min"),
        ("1e-9", "less than 0.1 ms"),
        ("1e308", "longer than can be shown"),
        ("", "write the seconds as a number above 0"),
        ("-1", "write the seconds as a number above 0"),
        ("soon", "write the seconds as a number above 0"),
    ]:
        page.fill("#plan-seconds", seconds)
        assert page.inner_text("#plan-time").startswith(words), seconds


def choose(page: Page, selector: str, value: str) -> None:
    """Choose the option whose text begins with a value."""
    texts = page.locator(f"{selector} option").all_text_contents()
    page.select_option(selector, label=next(text for text in texts if text.split(" ")[0] == value))


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("light", "light", 1200), ("dark", "dark", 1200), ("phone", "light", 360), ("phone-dark", "dark", 360)],
)
def test_text_stands_out_and_nothing_is_wider_than_the_window(
    show: Show, report: Path, name: str, scheme: str, width: int
) -> None:
    page = show(report, width=width, color_scheme=scheme)
    page.click("#open-all")
    assert width_of(page) <= width
    assert page.evaluate(CONTRAST) == []
    picture = page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    drawn, high = struct.unpack(">II", picture[16:24])
    assert drawn == width
    assert high > 1000


@pytest.mark.parametrize("width", [360, 1200])
def test_words_without_an_end_stay_inside_and_spaces_in_a_line_to_copy_stay(
    show: Show, tmp_path: Path, width: int
) -> None:
    line = f"PROBTEST_REPLAY=0x1:3 cargo test 'two  spaces {'y' * 300}'"
    page = show(
        report_of(tmp_path, report_sample.violated("n" * 1000, 3, "m" * 1000, replay=line)), width=width
    )
    assert width_of(page) <= width
    # What is selected by hand is what is shown, not what stands in the file.
    page.locator(".copy code").evaluate("e => getSelection().selectAllChildren(e)")
    assert page.evaluate("String(getSelection())") == line


def test_tests_with_one_name_stand_beside_each_other_and_are_found_by_their_package(
    show: Show, tmp_path: Path
) -> None:
    results = [
        report_sample.result("walk::ends", package="zeta"),
        report_sample.result("walk::begins"),
        report_sample.violated("walk::ends", 9, "left", package="p" * 300),
        report_sample.result("walk::goes"),
    ]
    page = show(report_of(tmp_path, *results), width=360)
    assert width_of(page) <= 360
    page.click("[data-sort=name]")
    own = f"{'p' * 300}: walk::ends"
    assert names(page) == ["walk::begins", own, "zeta: walk::ends", "walk::goes"]
    page.fill("#filter", "zeta")
    assert names(page) == ["zeta: walk::ends"]


@pytest.mark.parametrize("media", ["screen", "print"])
def test_no_verdict_is_written_over_the_name_of_its_test(show: Show, tmp_path: Path, media: str) -> None:
    verdicts = ["passed", "inconclusive", "a verdict of tomorrow"]
    results = [report_sample.result(f"test_{verdict}", verdict) for verdict in verdicts]
    results.append(report_sample.result("test_in_doubt", executed=1))
    page = show(report_of(tmp_path, *results), width=850, media=media)
    gaps = page.locator(".test").evaluate_all(
        """tests => {
        const box = (test, selector) => test.querySelector(selector).getBoundingClientRect();
        return tests.map(test => box(test, '.title').left - box(test, '.badge').right);
        }"""
    )
    assert len(gaps) == 4
    assert min(gaps) > 0


#: Texts whose contrast with what is behind them is below 4.5, as WCAG 2 has it.
CONTRAST = """() => {
const channel = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const colour = text => text.match(/[\\d.]+/g).map(Number);
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = colour(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
const weak = [];
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || !e.getClientRects().length || e.closest('.visually-hidden, .skip, script, svg')) continue;
  const [a, b] = [light(colour(getComputedStyle(e).color)), light(behind(e))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) weak.push(e.className + ' ' + e.textContent.slice(0, 30) + ' ' + contrast.toFixed(2));
}
for (const e of document.querySelectorAll('[placeholder]')) {
  const [a, b] = [light(colour(getComputedStyle(e, '::placeholder').color)), light(behind(e))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) weak.push('placeholder ' + contrast.toFixed(2));
}
return weak;
}"""


def test_labels_are_bars_with_their_shares(page: Page) -> None:
    charts = page.locator(".chart")
    expect(charts).to_have_count(2)
    expect(charts.first.locator(".bar")).to_have_count(12)
    own = page.locator(".bar.own .value").all_text_contents()
    assert own == ["31 to 33", "short"]
    # The bar is as long as its share, and the line over it reaches from the lowest to the highest that fits.
    bar, track, fits = (
        charts.nth(1).locator(f".own .{part}").bounding_box() for part in ("share", "track", "fits")
    )
    assert bar
    assert track
    assert fits
    assert bar["width"] / track["width"] == pytest.approx(13 / 212, abs=0.01)
    assert fits["x"] < bar["x"] + bar["width"] < fits["x"] + fits["width"]


def test_marks_keep_their_colour_where_the_system_chooses_the_others(show: Show, report: Path) -> None:
    page = show(report, forced_colors="active")
    for mark, colour in [
        (".key.fits", "rgb(31, 90, 168)"),
        (".key.p", "rgb(29, 33, 38)"),
        ("td.chosen", "rgb(31, 90, 168)"),
    ]:
        expect(page.locator(mark).first).to_have_css("background-color", colour)


def test_the_page_prints_all_facts(page: Page) -> None:
    printed = page.pdf(path=PICTURES / "print.pdf", print_background=True)
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 2


def test_a_sheet_may_end_between_any_two_tests_or_parts(show: Show, report: Path) -> None:
    # One child that holds its row together with the next one holds whole sections together: the browser then
    # cuts anywhere, also through a test.
    page = show(report, media="print")
    held = "all => all.filter(e => getComputedStyle(e).breakAfter !== 'auto').map(e => e.outerHTML)"
    assert page.locator("dl *").evaluate_all(held) == []
    cut = "all => all.filter(e => getComputedStyle(e).breakInside !== 'avoid').map(e => e.outerHTML)"
    assert page.locator(".test:not(:has(pre)), #planner").evaluate_all(cut) == []


@pytest.mark.parametrize(("tests", "opened"), [(300, 300), (301, 1)])
def test_a_long_suite_has_a_line_for_each_pass_on_paper(
    show: Show, tmp_path: Path, tests: int, opened: int
) -> None:
    results = [report_sample.result(f"t{number}") for number in range(tests - 1)]
    page = show(report_of(tmp_path, *results, report_sample.violated("v", 3, "left != right")))
    for event, count in [("beforeprint", opened), ("afterprint", 1)]:
        page.evaluate("event => dispatchEvent(new Event(event))", event)
        expect(page.locator(".test details[open]")).to_have_count(count)


def test_the_page_is_whole_without_scripts(show: Show, report: Path) -> None:
    page = show(report, java_script_enabled=False)
    page.screenshot(path=PICTURES / "no-script.png", full_page=True)
    # Tools that need a script are not shown, and everything else is.
    for hidden in (".tools", ".columns", "#plan"):
        expect(page.locator(hidden)).to_be_attached()
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator(".test:visible")).to_have_count(10)
    expect(page.locator("#plans")).to_be_visible()
