"""The page of `probtest report`, in a real browser. Screenshots go to target/browser."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from . import report_sample, webdriver
from .command import TARGET, probtest

PICTURES = TARGET / "browser"

MISSING = webdriver.missing()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")

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


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a suite with every verdict and a hostile name."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "results.json").write_text(json.dumps(report_sample.sample()))
    made = probtest("report", folder / "results.json", "--html", folder / "report.html")
    assert made.returncode == 0, made.stderr
    return folder / "report.html"


@pytest.fixture
def browser(running: webdriver.Browser, page: Path) -> webdriver.Browser:
    """Return a browser that shows the page, fresh, wide and light."""
    running.open_fresh(page.as_uri())
    return running


def names(browser: webdriver.Browser) -> list[str]:
    """Return the names of the tests that are shown, in their order."""
    script = """
        const shown = [...document.querySelectorAll('.test')].filter(test => test.offsetParent);
        return shown.map(test => test.querySelector('.name').textContent);
    """
    return list(browser.run(script))


def numbers(browser: webdriver.Browser, key: str) -> list[float]:
    script = "return [...document.querySelectorAll('.test')].map(t => Number(t.dataset[arguments[0]]))"
    return list(browser.run(script, key))


def test_the_page_loads_without_errors_and_asks_for_nothing(browser: webdriver.Browser, page: Path) -> None:
    assert browser.run("return document.readyState") == "complete"
    assert browser.run("return document.querySelector('h1').textContent") == "4 of 10 tests need attention"
    for selector in ("#open-all", "[data-sort=name]", "[data-copy]", "#open-all"):
        browser.click(selector)
    assert browser.log("browser") == []
    assert [url for url in browser.requests() if not url.startswith("data:image/svg+xml")] == [page.as_uri()]


def test_a_script_that_a_test_brings_stays_text(browser: webdriver.Browser) -> None:
    assert report_sample.HOSTILE in names(browser)
    shown = "return [...document.querySelectorAll('.name, pre')].map(e => e.textContent)"
    texts = browser.run(shown)
    assert report_sample.HOSTILE in texts
    assert any(text.startswith("<img src=x onerror=alert(1)> & \\u{1b}[31m") for text in texts)
    assert browser.run("return document.querySelectorAll('script, img').length") == 1


def test_the_policy_stops_scripts_styles_and_requests(browser: webdriver.Browser) -> None:
    browser.run(
        """
        const put = (tag, its) => document.body.append(Object.assign(document.createElement(tag), its));
        put("script", { textContent: "window.broken = 1" });
        put("style", { textContent: "h1 { display: none }" });
        put("img", { src: "http://127.0.0.1:9/x.png" });
        """
    )
    assert browser.run("return window.broken || 0") == 0
    assert browser.run("return getComputedStyle(document.querySelector('h1')).display") == "block"
    refused = [entry["message"] for entry in browser.log("browser")]
    assert len([words for words in refused if "Content Security Policy" in words]) >= 3, refused


def test_tests_are_sorted_by_attention_and_by_every_column(browser: webdriver.Browser) -> None:
    assert numbers(browser, "rank") == list(range(10))
    for key, descending in (("executed", True), ("seconds", True), ("highest", True)):
        browser.click(f"[data-sort={key}]")
        assert numbers(browser, key) == sorted(numbers(browser, key), reverse=descending), key
        browser.click(f"[data-sort={key}]")
        assert numbers(browser, key) == sorted(numbers(browser, key)), key
    assert (
        browser.run("return document.querySelector('[data-sort=highest]').getAttribute('aria-pressed')")
        == "true"
    )
    browser.click("[data-sort=name]")
    assert names(browser) == sorted(names(browser), key=str.lower)
    browser.click("[data-sort=rank]")
    assert numbers(browser, "rank") == list(range(10))


def test_the_filter_looks_at_names_and_claims_and_says_how_many_are_shown(browser: webdriver.Browser) -> None:
    browser.type("#filter", "LAKE goal")
    assert len(names(browser)) == 2
    assert browser.run("return document.querySelector('#shown').textContent") == "2 of 10 tests shown"
    browser.clear("#filter")
    browser.type("#filter", "p = 0.001")
    assert names(browser) == ["tests/test_lake.py::test_agent_reaches_the_goal[4x4]"]
    browser.clear("#filter")
    browser.type("#filter", "no such test")
    assert names(browser) == []
    browser.click("#reset")
    assert len(names(browser)) == 10
    browser.click("input[value=passed]")
    assert len(names(browser)) == 4
    browser.click("input[value=violated]")
    assert len(names(browser)) == 2


def test_failures_are_expanded_and_others_can_be(browser: webdriver.Browser) -> None:
    is_open = "return [...document.querySelectorAll('.test details')].map(d => d.open)"
    assert browser.run(is_open) == [True] * 4 + [False] * 6
    browser.click(".test[data-status=passed] summary")
    assert browser.run(is_open) == [True] * 5 + [False] * 5
    heard = (
        "const all = document.querySelector('#open-all');"
        "return [all.textContent, all.hasAttribute('aria-pressed')]"
    )
    assert browser.run(heard) == ["Expand all", False]
    browser.click("#open-all")
    assert browser.run(is_open) == [True] * 10
    assert browser.run(heard) == ["Collapse all", False]
    browser.click("#open-all")
    assert browser.run(is_open) == [False] * 10


def test_everything_can_be_reached_and_worked_by_keyboard(browser: webdriver.Browser) -> None:
    browser.run("document.querySelector('.test[data-status=passed] summary').focus()")
    browser.press(webdriver.ENTER)
    assert browser.run("return document.activeElement.parentElement.open") is True
    unreachable = browser.run(
        """
        const focusable = 'button, input, select, a, summary';
        return [...document.querySelectorAll(focusable)].filter(e => e.offsetParent && e.tabIndex < 0).length
        """
    )
    assert unreachable == 0
    unnamed = browser.run(
        """
        const named = e => e.labels?.length || e.textContent.trim() || e.getAttribute('aria-label');
        return [...document.querySelectorAll('button, input, select, a, summary, svg[role=img]')]
          .filter(e => !named(e)).map(e => e.outerHTML)
        """
    )
    assert unnamed == []


def test_names_are_heard_as_they_are_written(browser: webdriver.Browser) -> None:
    # Where a line may be broken, a browser puts a space into what it tells screen readers.
    browser.devtools("Accessibility.enable")
    nodes = browser.devtools("Accessibility.getFullAXTree")["nodes"]
    browser.devtools("Accessibility.disable")
    heard = [node["name"]["value"] for node in nodes if "DisclosureTriangle" in node["role"]["value"]]
    for name in names(browser):
        assert any(name in words for words in heard), (name, heard)


@pytest.mark.parametrize("way", ["clipboard", "fallback"])
def test_the_replay_line_is_copied_from_a_file_on_disk(browser: webdriver.Browser, way: str) -> None:
    # Something else is in the clipboard before.
    for keys in ("something else", webdriver.CONTROL + "a", webdriver.CONTROL + "x"):
        browser.type("#filter", keys)
    if way == "fallback":
        browser.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    browser.click(".test[data-status=violated] [data-copy]")
    browser.wait("return document.querySelector('#said').textContent === 'copied'")
    browser.type("#filter", webdriver.CONTROL + "v")
    assert browser.run("return document.querySelector('#filter').value") == LINE


@pytest.mark.parametrize(("p", "epsilon", "executions"), PAPER)
def test_the_planner_has_the_papers_numbers(
    browser: webdriver.Browser, p: str, epsilon: str, executions: str
) -> None:
    choose(browser, "#plan-p", p)
    choose(browser, "#plan-epsilon", epsilon)
    browser.clear("#plan-seconds")
    browser.type("#plan-seconds", "1")
    assert browser.run("return document.querySelector('#plan-k').textContent") == f"{executions} executions"
    chosen = "return [...document.querySelectorAll('td.chosen')].map(cell => cell.dataset.k)"
    assert browser.run(chosen) == [executions]


def test_the_planner_tells_the_time_and_what_is_no_time(browser: webdriver.Browser) -> None:
    choose(browser, "#plan-p", "0.001")
    for seconds, words in [
        ("0.1", "about 5 min"),
        ("2", "about 1.7 h"),
        ("0,5", "about 25 min"),
        ("1e-9", "less than 0.1 ms"),
        ("1e308", "longer than can be told"),
        ("", "write the seconds as a number above 0"),
        ("-1", "write the seconds as a number above 0"),
        ("soon", "write the seconds as a number above 0"),
    ]:
        browser.clear("#plan-seconds")
        if seconds:
            browser.type("#plan-seconds", seconds)
        assert browser.run("return document.querySelector('#plan-time').textContent").startswith(words), (
            seconds
        )


def choose(browser: webdriver.Browser, selector: str, value: str) -> None:
    browser.run(
        """
        const select = document.querySelector(arguments[0]);
        const wanted = [...select.options].find(o => o.text.split(' ')[0] === arguments[1]);
        select.value = wanted.value;
        select.dispatchEvent(new Event('input', { bubbles: true }));
        """,
        selector,
        value,
    )


@pytest.mark.parametrize(
    ("name", "dark", "width"),
    [("light", False, 1200), ("dark", True, 1200), ("phone", False, 360), ("phone-dark", True, 360)],
)
def test_text_stands_out_and_nothing_is_wider_than_the_window(
    browser: webdriver.Browser, page: Path, name: str, dark: bool, width: int
) -> None:
    browser.emulate(dark=dark, width=width)
    browser.open(page.as_uri())
    browser.click("#open-all")
    assert browser.run("return document.documentElement.scrollWidth") <= width
    weak = browser.run(CONTRAST)
    assert weak == []
    picture = browser.screenshot(PICTURES / f"{name}.png")
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    drawn, high = struct.unpack(">II", picture[16:24])
    assert drawn == width
    assert high > 1000


@pytest.mark.parametrize("width", [360, 1200])
def test_words_without_an_end_stay_inside_and_spaces_in_a_line_to_copy_stay(
    running: webdriver.Browser, tmp_path: Path, width: int
) -> None:
    line = f"PROBTEST_REPLAY=0x1:3 cargo test 'two  spaces {'y' * 300}'"
    endless = report_sample.violated("n" * 1000, 3, "m" * 1000, replay=line)
    (tmp_path / "results.json").write_text(json.dumps(endless))
    made = probtest("report", tmp_path / "results.json", "--html", tmp_path / "report.html")
    assert made.returncode == 0, made.stderr
    running.emulate(width=width)
    running.open((tmp_path / "report.html").as_uri())
    assert running.run("return document.documentElement.scrollWidth") <= width
    # What is selected by hand is what is shown, not what stands in the file.
    selected = """
        getSelection().selectAllChildren(document.querySelector('.copy code'));
        return String(getSelection());
    """
    assert running.run(selected) == line


def test_tests_with_one_name_stand_beside_each_other_and_are_found_by_their_package(
    running: webdriver.Browser, tmp_path: Path
) -> None:
    results = [
        report_sample.result("walk::ends", package="zeta"),
        report_sample.result("walk::begins"),
        report_sample.violated("walk::ends", 9, "left", package="p" * 300),
        report_sample.result("walk::goes"),
    ]
    (tmp_path / "results.json").write_text("".join(map(json.dumps, results)))
    made = probtest("report", tmp_path / "results.json", "--html", tmp_path / "report.html")
    assert made.returncode == 0, made.stderr
    running.emulate(width=360)
    running.open((tmp_path / "report.html").as_uri())
    assert running.run("return document.documentElement.scrollWidth") <= 360
    running.click("[data-sort=name]")
    own = f"{'p' * 300}: walk::ends"
    assert names(running) == ["walk::begins", own, "zeta: walk::ends", "walk::goes"]
    running.type("#filter", "zeta")
    assert names(running) == ["zeta: walk::ends"]


@pytest.mark.parametrize("media", ["screen", "print"])
def test_no_verdict_is_written_over_the_name_of_its_test(
    running: webdriver.Browser, tmp_path: Path, media: str
) -> None:
    verdicts = ["passed", "inconclusive", "a verdict of tomorrow"]
    results = [report_sample.result(f"test_{verdict}", verdict) for verdict in verdicts]
    results.append(report_sample.result("test_in_doubt", executed=1))
    (tmp_path / "results.json").write_text("".join(map(json.dumps, results)))
    made = probtest("report", tmp_path / "results.json", "--html", tmp_path / "report.html")
    assert made.returncode == 0, made.stderr
    running.emulate(width=850)
    running.devtools("Emulation.setEmulatedMedia", media=media)
    running.open((tmp_path / "report.html").as_uri())
    gaps = running.run(
        """
        const box = (test, selector) => test.querySelector(selector).getBoundingClientRect();
        const tests = [...document.querySelectorAll('.test')];
        return tests.map(test => box(test, '.title').left - box(test, '.badge').right);
        """
    )
    running.devtools("Emulation.setEmulatedMedia", media="")
    assert len(gaps) == 4
    assert min(gaps) > 0


#: Texts whose contrast with what is behind them is below 4.5, as WCAG 2 has it.
CONTRAST = """
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
"""


def test_marks_keep_their_colour_where_the_system_chooses_the_others(
    browser: webdriver.Browser, page: Path
) -> None:
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    browser.open(page.as_uri())
    shown = browser.run(
        """
        const marks = ['.key.fits', '.key.p', 'td.chosen'].map(name => document.querySelector(name));
        return marks.map(mark => getComputedStyle(mark).backgroundColor);
        """
    )
    browser.devtools("Emulation.setEmulatedMedia", features=[])
    assert shown == ["rgb(31, 90, 168)", "rgb(29, 33, 38)", "rgb(31, 90, 168)"]


def test_the_page_prints_all_facts(browser: webdriver.Browser) -> None:
    printed = browser.print(PICTURES / "print.pdf")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 2


def test_a_sheet_may_end_between_any_two_tests_or_parts(browser: webdriver.Browser, page: Path) -> None:
    # One child that holds its row together with the next one holds whole sections together: the browser then
    # cuts anywhere, also through a test.
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    browser.open(page.as_uri())
    held = browser.run(
        """
        const held = e => getComputedStyle(e).breakAfter !== 'auto';
        const cut = e => getComputedStyle(e).breakInside !== 'avoid';
        const parts = [...document.querySelectorAll('.test:not(:has(pre)), #planner')];
        const named = e => e.tagName + '.' + e.className;
        return [[...document.querySelectorAll('dl *')].filter(held).map(named), parts.filter(cut).map(named)];
        """
    )
    browser.devtools("Emulation.setEmulatedMedia", media="")
    assert held == [[], []]


@pytest.mark.parametrize(("tests", "opened"), [(300, 300), (301, 1)])
def test_a_long_suite_has_a_line_for_each_pass_on_paper(
    running: webdriver.Browser, tmp_path: Path, tests: int, opened: int
) -> None:
    results = [report_sample.result(f"t{number}") for number in range(tests - 1)]
    results.append(report_sample.violated("v", 3, "left != right"))
    (tmp_path / "results.json").write_text("".join(map(json.dumps, results)))
    made = probtest("report", tmp_path / "results.json", "--html", tmp_path / "report.html")
    assert made.returncode == 0, made.stderr
    running.emulate()
    running.open((tmp_path / "report.html").as_uri())
    count = "return document.querySelectorAll('.test details[open]').length"
    running.run("dispatchEvent(new Event('beforeprint'))")
    assert running.run(count) == opened
    running.run("dispatchEvent(new Event('afterprint'))")
    assert running.run(count) == 1


def test_the_page_is_whole_without_scripts(page: Path, running: webdriver.Browser) -> None:
    running.devtools("Emulation.setScriptExecutionDisabled", value=True)
    try:
        running.open(page.as_uri())
        picture = running.screenshot(PICTURES / "no-script.png")
    finally:
        running.devtools("Emulation.setScriptExecutionDisabled", value=False)
    assert len(picture) > 10_000
    # Tools that need a script are not shown, and everything else is.
    for hidden in (".tools", ".columns", "#plan"):
        assert running.run("return document.querySelector(arguments[0]).offsetParent === null", hidden), (
            hidden
        )
    assert running.run("return document.querySelectorAll('.test').length") == 10
    assert running.run("return document.querySelector('#plans').offsetParent !== null")
