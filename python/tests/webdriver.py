"""A small client of the WebDriver protocol: headless Chromium, driven over HTTP.

It speaks to chromedriver alone and needs no package. Chromium and chromedriver come from the
system (`make browser`).
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

#: How the protocol names an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
#: How long one command may take; the slowest is the start of the browser.
SECONDS = 60
CONTROL = "\ue009"
ENTER = "\ue007"


def missing() -> str | None:
    """Say in one line what is missing for tests in a browser, or nothing."""
    lacking = [name for name, found in (("chromium", chromium()), ("chromedriver", driver())) if not found]
    if not lacking:
        return None
    return f"tests in a browser are skipped: {' and '.join(lacking)} not found; `make browser` installs them"


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def driver() -> str | None:
    return shutil.which("chromedriver")


class WebDriverError(Exception):
    """The browser or its driver refused a command."""


class Browser:
    """One browser, in a process that this object starts and ends."""

    def __init__(self, profile: Path, *arguments: str) -> None:
        program, binary = driver(), chromium()
        assert program is not None
        assert binary is not None
        # Port 0 lets the system choose a free one; the driver says which.
        self._driver = subprocess.Popen(
            [program, "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "no_proxy": "*", "NO_PROXY": "*"},
        )
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self._session: str | None = None
        self._process: int | None = None
        try:
            self._url = f"http://127.0.0.1:{self._port()}"
            self._session = self._start(binary, profile, arguments)
        except BaseException:
            self.close()
            raise

    def _port(self) -> int:
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise WebDriverError("chromedriver ended before it said its port")

    def _start(self, binary: str, profile: Path, arguments: tuple[str, ...]) -> str:
        options = {
            "binary": binary,
            "args": [
                "--headless=new",
                # Containers have neither the sandbox's privileges nor a large /dev/shm.
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--hide-scrollbars",
                "--window-size=1200,900",
                f"--user-data-dir={profile}",
                *arguments,
            ],
        }
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._process = answer["capabilities"].get("goog:processID")
        return str(answer["sessionId"])

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self._url + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        try:
            with self._opener.open(request, timeout=SECONDS) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error).get("value", {})
            raise WebDriverError(f"{method} {path}: {said.get('message', said)}") from None

    def _command(self, method: str, path: str, body: Any = None) -> Any:
        return self._send(method, f"/session/{self._session}{path}", body)

    def close(self) -> None:
        """End the browser and its driver, also when the browser no longer answers."""
        try:
            if self._session is not None:
                self._command("DELETE", "")
        except (OSError, WebDriverError):
            if self._process is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process, signal.SIGKILL)
        finally:
            self._driver.terminate()
            self._driver.wait(SECONDS)
            if self._driver.stdout is not None:
                self._driver.stdout.close()

    def open(self, address: str) -> None:
        self._command("POST", "/url", {"url": address})

    def open_fresh(self, address: str) -> None:
        """Open a page in a wide and light window, with nothing logged before it."""
        self.emulate()
        # The first page of a browser is its own, and loads a lot.
        self.open("about:blank")
        self.log("browser")
        self.requests()
        self.open(address)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page and return what it returns."""
        return self._command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector: str) -> str:
        found = self._command("POST", "/element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])

    def click(self, selector: str) -> None:
        self._command("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector: str, text: str) -> None:
        self._command("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def clear(self, selector: str) -> None:
        self._command("POST", f"/element/{self.find(selector)}/clear")

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._command("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def wait(self, script: str) -> None:
        """Wait until a script returns true; the browser looks at each frame."""
        waiting = (
            "const done = arguments[0]; const holds = () => { %s };"
            "const look = () => holds() ? done(true) : requestAnimationFrame(look); look();"
        )
        self._command("POST", "/execute/async", {"script": waiting % script, "args": []})

    def log(self, kind: str) -> list[dict[str, Any]]:
        """Return and forget what was logged since the last call."""
        entries: list[dict[str, Any]] = self._command("POST", "/se/log", {"type": kind})
        return entries

    def requests(self) -> list[str]:
        """Return the addresses that were requested since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [params["request"]["url"] for params in sent]

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self._command("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screenshot(self, file: Path) -> bytes:
        """Take a picture of the whole page."""
        picture = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        content = base64.b64decode(picture["data"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return content

    def print(self, file: Path) -> bytes:
        """Print the page as PDF."""
        content = base64.b64decode(self._command("POST", "/print", {"background": True}))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return content

    def emulate(self, *, dark: bool = False, width: int = 1200, height: int = 900) -> None:
        """Choose the theme and the width of the window."""
        scheme = "dark" if dark else "light"
        self.devtools(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
