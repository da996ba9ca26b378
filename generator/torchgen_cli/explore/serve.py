"""Writes the page of `torchgen explore` into a folder, or serves it on this machine."""

import json
import shutil
import tempfile
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from ..base.errors import Interrupted, UserError
from ..base.staging import scratch_folder
from ..template.source import installed, named
from .content import Content

PAGE = Path(__file__).parent / "page"
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder to this machine alone, without a log."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def send_head(self) -> Any:
        host = self.headers.get("Host", "").partition(":")[0]
        if host not in ("127.0.0.1", "localhost"):  # another name that was made to lead here
            self.send_error(403)
            return None
        return super().send_head()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


def explore(source: str | None, target: Path | None, port: int, browser: bool) -> int:
    """Serve the page until a signal ends it, or write it to `target`; returns the exit code.

    It shows the template at `source`, or the installed one. Raises UserError.
    """
    if not (PAGE / "vendor").is_dir():
        raise UserError(
            "this torchgen was built without the page's libraries; in a clone of torchgen, with "
            "Node.js: make explorer, then install it again"
        )
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        template = named(source, scratch) if source else installed(scratch)
        try:
            content = Content(template.folder, template.stamp).as_json()
        except (TemplateError, UnicodeError) as error:
            raise UserError(f"the page cannot show this template: {error}") from error
        folder = target or scratch / "page"
        try:
            shutil.copytree(PAGE, folder, dirs_exist_ok=True)
            text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            (folder / "content.json").write_text(text, encoding="utf-8")
        except OSError as error:  # that of copytree is a list of such
            reason = error.strerror or error.args[0][0][2]
            raise UserError(f"cannot write the page into {folder}: {reason}") from error
        if not target:
            return _serve(folder, port, browser)
    print(f"{target / 'index.html'} is written; any web server can serve the folder")
    return 0


def _serve(folder: Path, port: int, browser: bool) -> int:
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=folder))
    except OSError as error:
        raise UserError(
            f"port {port} cannot be used: {error.strerror}; without --port a free one is taken"
        ) from error
    with server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"{address}   Ctrl-C ends it", flush=True)
        try:
            if browser:
                webbrowser.open(address)
            server.serve_forever()
        except Interrupted as stop:
            return stop.exit_code
    return 0
