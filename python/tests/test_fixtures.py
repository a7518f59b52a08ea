"""Fresh fixtures and instances for each execution."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run
from .words import no_violation, violated_at


def test_function_fixtures_are_rebuilt_and_torn_down_for_each_execution(run: Run) -> None:
    run("""
        import pytest
        events = []

        @pytest.fixture
        def outer():
            events.append("outer up")
            yield object()
            events.append("outer down")

        @pytest.fixture
        def inner(outer, request):
            events.append("inner up")
            request.addfinalizer(lambda: events.append("inner down"))
            return outer

        seen = set()

        @pytest.mark.probtest(p=0.5)
        def test_it(inner):
            events.append("body")
            seen.add(id(inner))

        def test_events():
            assert events == ["outer up", "inner up", "body", "inner down", "outer down"] * 6
    """).assert_outcomes(passed=2)


def test_wider_fixtures_are_shared(run: Run) -> None:
    run("""
        import pytest
        from collections import Counter
        made = Counter()

        @pytest.fixture(scope="session")
        def session(): made["session"] += 1

        @pytest.fixture(scope="module")
        def module(session): made["module"] += 1

        @pytest.fixture(scope="class")
        def cls(module): made["class"] += 1

        @pytest.fixture
        def function(cls): made["function"] += 1

        class TestIt:
            @pytest.mark.probtest(p=0.5)
            def test_it(self, function): made["body"] += 1

        def test_counts():
            assert made == {"session": 1, "module": 1, "class": 1, "function": 6, "body": 6}
    """).assert_outcomes(passed=2)


def test_autouse_setup_and_teardown_functions_run_for_each_execution(run: Run) -> None:
    run("""
        import pytest
        from collections import Counter
        calls = Counter()

        @pytest.fixture(autouse=True)
        def always():
            calls["up"] += 1
            yield
            calls["down"] += 1

        def setup_function(): calls["setup"] += 1
        def teardown_function(): calls["teardown"] += 1

        @pytest.mark.probtest(p=0.5)
        def test_it(): calls["body"] += 1

        def test_counts():
            assert calls["body"] == 6
            assert calls["up"] == calls["setup"] == 7 and calls["down"] == calls["teardown"] == 6
    """).assert_outcomes(passed=2)


def test_tmp_path_monkeypatch_and_capsys_are_fresh(run: Run, pytester: pytest.Pytester) -> None:
    result = run(
        """
        import os, pytest
        left = []

        @pytest.mark.probtest(p=0.1)
        def test_it(tmp_path, monkeypatch, capsys):
            assert not list(tmp_path.iterdir())
            (tmp_path / "file").write_text("x")
            assert "LEFT" not in os.environ
            monkeypatch.setenv("LEFT", "1")
            print("once")
            assert capsys.readouterr().out == "once\\n"
            left.append(tmp_path)

        def test_folders():
            assert len(left) == 29
            assert sum(path.exists() for path in left[:-1]) == 0 or len(set(left)) == 1
        """,
        "--basetemp",
        str(pytester.path / "base"),
    )
    result.assert_outcomes(passed=2)
    assert len(list((Path(pytester.path) / "base").glob("test_it*"))) <= 2


def test_an_instance_is_fresh_for_each_execution(run: Run) -> None:
    run("""
        import pytest

        @pytest.mark.probtest(p=0.5)
        class TestIt:
            def setup_method(self):
                assert not hasattr(self, "value")
                self.value = 0

            def test_it(self):
                self.value += 1
                assert self.value == 1
    """).assert_outcomes(passed=1)


def test_parametrized_fixtures_keep_their_parameter(run: Run) -> None:
    run("""
        import pytest
        seen = []

        @pytest.fixture(params=["a", "b"])
        def letter(request): return request.param

        @pytest.mark.probtest(p=0.5)
        def test_it(letter): seen.append(letter)

        def test_seen(): assert seen == ["a"] * 6 + ["b"] * 6
    """).assert_outcomes(passed=3)


def test_a_fixture_that_skips_once_rejects_that_execution(run: Run) -> None:
    result = run(
        """
        import pytest
        made = []

        @pytest.fixture
        def sometimes():
            made.append(1)
            if len(made) == 4:
                pytest.skip("no more")

        @pytest.mark.probtest(p=0.1)
        def test_it(sometimes): pass

        def test_count(): assert len(made) == 30

        @pytest.mark.probtest(p=0.1)
        @pytest.mark.skip(reason="not today")
        def test_marked(): pass
        """,
        "-v",
    )
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines([no_violation("test_it", 29, rejected=True)])


@pytest.mark.parametrize("before", ["", "yield"])
def test_a_set_up_or_a_finalizer_that_fails_later_is_a_violation_of_that_execution(
    run: Run, before: str
) -> None:
    result = run(f"""
        import pytest
        made = []

        @pytest.fixture
        def fragile():
            made.append(1)
            {before}
            assert len(made) != 4, "broken"

        @pytest.mark.probtest(p=0.1)
        def test_it(fragile): pass
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*broken*", violated_at(4, 29)])


def test_dynamic_fixtures_are_fresh_too(run: Run) -> None:
    run("""
        import pytest
        made = []

        @pytest.fixture
        def dynamic():
            made.append(1)
            return len(made)

        @pytest.mark.probtest(p=0.5)
        def test_it(request): assert request.getfixturevalue("dynamic") == len(made)

        def test_made(): assert len(made) == 6
    """).assert_outcomes(passed=2)


def test_a_failure_of_a_wider_fixture_is_shown_as_it_came(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest

        @pytest.fixture(scope="session")
        def broken(): raise RuntimeError("broken fixture")
    """)
    result = run("""
        import random, pytest
        pytestmark = pytest.mark.probtest(p=0.1)

        def test_asks(tmp_path, request):
            if random.random() < 0.5: request.getfixturevalue("broken")

        def test_needs(broken): pass
    """)
    result.assert_outcomes(failed=1, errors=1)
    shown = result.stdout.str()
    # Not the executions that explain it, and nothing of the plugin.
    assert shown.count('request.getfixturevalue("broken")') == 1
    assert shown.count('raise RuntimeError("broken fixture")') == 2
    assert "pytest_plugin" not in shown


def test_a_body_knows_its_instance_where_plugins_call_it(run: Run, pytester: pytest.Pytester) -> None:
    # With such a hook, pytest itself calls the function.
    pytester.makeconftest("def pytest_pyfunc_call(pyfuncitem): pass")
    run("""
        import pytest, unittest
        pytestmark = pytest.mark.probtest(p=0.5)

        class TestIt:
            def test_method(self, request):
                assert request.instance is self and request.node.instance is self

        class Case(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def asks(self, request): self.request = request

            def test_unit(self):
                assert self.request.instance is self and self.request.node.instance is self
    """).assert_outcomes(passed=2)
