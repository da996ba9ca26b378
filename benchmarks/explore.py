"""How fast is the page of `torchgen explore`, in Debian's headless Chromium.

    python benchmarks/explore.py [--rounds 9]

Measures the time from the request to the tree of files, and from a click on an answer to the
page that fits it, laid out. Writes its section of docs/performance.md.
"""

import argparse
import statistics
import subprocess
import sys
from typing import Any

from playwright.sync_api import sync_playwright
from timing import ENVIRONMENT, ROOT, TRY, write_section

PAGE = ROOT / "generator/torchgen_cli/explore/page"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WATCH = """new MutationObserver((_, self) => {
  if (!document.querySelector("#text tr")) return;
  document.body.offsetHeight;
  globalThis.shown = performance.now();
  self.disconnect();
}).observe(document, {childList: true, subtree: true})"""
CHANGE = """selector => {
  const began = performance.now();
  document.querySelector(selector).click();
  document.body.offsetHeight;
  return performance.now() - began;
}"""
ANSWERS = ["[value=ddp]", "[value=hdf5]", "[value=serve]", "[value=verify]", "[value=single]"]


def measure(browser: Any, address: str) -> dict[str, list[float]]:
    """One new window: milliseconds until the page is there, and of each change of an answer."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_selector("#text tr")
    first = page.evaluate("shown")
    changes = [page.evaluate(CHANGE, selector) for selector in ANSWERS]
    context.close()
    return {"first view": [first], "a change of an answer": changes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    line = [sys.executable, "-m", "torchgen_cli", "explore", "--no-browser"]
    found: dict[str, list[float]] = {"first view": [], "a change of an answer": []}
    with subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            address = server.stdout.readline().split()[0]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path="/usr/bin/chromium", args=FLAGS
                )
                measure(browser, address)
                for _ in range(1 if TRY else rounds):
                    for what, values in measure(browser, address).items():
                        found[what] += values
                browser.close()
        finally:
            server.terminate()
    aims = {"first view": 300, "a change of an answer": 50}
    table = ["| what | median, ms | slowest, ms | aim |", "|---|---|---|---|"]
    for what, values in found.items():
        median, slowest = statistics.median(values), max(values)
        table.append(f"| {what} | {median:.0f} | {slowest:.0f} | ≤ {aims[what]} |")
    size = sum(path.stat().st_size for path in PAGE.rglob("*") if path.is_file())
    note = (
        f"{rounds} rounds, each in a new window; the page's files take {size:,} bytes in the wheel."
    )
    write_section("explore.py", "The page of `torchgen explore`", note, ["\n".join(table)])


if __name__ == "__main__":
    main()
