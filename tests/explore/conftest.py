"""A served page, and a Chromium to look at it."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXPLORE = ROOT / "generator/torchgen_cli/explore"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def torchgen(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "torchgen_cli", *map(str, arguments)]


@contextmanager
def served(*arguments: object) -> Iterator[str]:
    """Serve the page; gives its address. Ctrl-C must end it within five seconds."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "generator")}
    line = torchgen("explore", "--no-browser", *arguments)
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().split()[0]
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(5) == 128 + signal.SIGINT


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    if not (EXPLORE / "page/vendor").is_dir():
        pytest.skip("the page's libraries are missing: make explorer")
    with served() as found:
        yield found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if not CHROMIUM:
        pytest.skip("needs Chromium, or Chrome")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """A page of its own. No request may leave this machine, and the console stays empty."""
    said: list[str] = []
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_selector("#tree button")
    yield page
    assert said == []
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    context.close()
