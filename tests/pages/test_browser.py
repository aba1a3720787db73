"""The built pages in a real browser: none scrolls sideways, a first release is two clicks away, search finds.

Chromium is driven over a pipe. `nox -s docs` runs these tests after building; elsewhere PYDPSTAT_PAGES names
the folder of the built pages.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

BUILT = Path(os.environ.get("PYDPSTAT_PAGES", "")).resolve()
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif("PYDPSTAT_PAGES" not in os.environ, reason="PYDPSTAT_PAGES names no built pages"),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]
PAGES = sorted(
    path.relative_to(BUILT).as_posix()
    for path in (BUILT.rglob("*.html") if "PYDPSTAT_PAGES" in os.environ else ())
    if "_static" not in path.parts and path.stem not in ("genindex", "py-modindex", "search")
)
PHONE, DESKTOP = 390, 1280
# what users type, and pages of which one has to be among the first found
WORDS = {
    "polars": ("own/groups", "own/report"),
    "groupby": ("own/groups", "which"),
    "t-test": ("which", "own/tests"),
    "confidence interval": ("own/tests",),
    "na.rm": ("own/missing",),
    "ggplot": ("which", "own/exporting"),
    "svymean": ("which", "own/tests"),
    "latex": ("own/exporting",),
    "choose epsilon": ("own/choosing",),
    "verify": ("verify",),
    "sklearn": ("own/sklearn",),
    "reticulate": ("own/reticulate",),
    "privacy office": ("own/statement",),
}

# what reaches beyond the screen, unless it is in a box that scrolls by itself
WIDER = """(() => {
  const width = document.documentElement.clientWidth, found = [];
  const scrolls = e => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  for (const e of document.querySelectorAll("article *, header *, footer *"))
    if (e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement))
      found.push(e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 40));
  const whole = document.documentElement.scrollWidth;
  if (whole > width) found.push("the page: " + whole);
  return found.slice(0, 5);
})()"""
# the text with the least contrast to what it stands on, as WCAG has it
CONTRAST = """(() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const linear = c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const behind = e => { for (; e; e = e.parentElement) {
    const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > .99) return c; }
    return [255, 255, 255]; };
  let least = [99, ""];
  for (const e of document.querySelectorAll("article *")) {
    if (!e.checkVisibility() || getComputedStyle(e).userSelect === "none") continue;
    if (e.closest(".headerlink")) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const [a, b] = [parts(getComputedStyle(e).color), behind(e)].map(light).sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < least[0]) least = [ratio, e.className + ": " + e.textContent.trim().slice(0, 40)];
  }
  return least;
})()"""


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, profile: str) -> None:
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        )
        theirs, self.pipe = os.pipe()
        self.answers, back = os.pipe()
        # Chromium reads its commands from 3 and answers on 4
        shell = f"exec {CHROMIUM} {' '.join(flags)} --user-data-dir={profile} --remote-debugging-pipe"
        self.process = subprocess.Popen(
            ["bash", "-c", f"{shell} about:blank 3<&{theirs} 4>&{back}"],
            pass_fds=(theirs, back),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(back)
        self.numbers, self.waiting, self.session = itertools.count(1), b"", ""
        pages = self.ask("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in pages if each["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self.waiting:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise RuntimeError("Chromium ended")
            self.waiting += more
        first, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(first)

    def ask(self, method: str, **given: object) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": given}
        message |= {"sessionId": self.session} if self.session else {}
        os.write(self.pipe, json.dumps(message).encode() + b"\0")
        while (answer := self._message()).get("id") != number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def loaded(self) -> None:
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def open(self, page: str, width: int = DESKTOP, scheme: str = "light") -> None:
        self.look(width, scheme)
        self.ask("Page.navigate", url=f"{BUILT.as_uri()}/{page}")
        self.loaded()

    def look(self, width: int, scheme: str) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=844,
            deviceScaleFactor=1,
            mobile=width == PHONE,
        )
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", features=wanted)

    def tell(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        place = self.tell(
            f"(() => {{ const e = document.querySelector({selector!r}); "
            "e.scrollIntoView({block: 'center'}); "
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def close(self) -> None:
        self.ask("Browser.close")
        self.process.wait(timeout=20)
        os.close(self.pipe)
        os.close(self.answers)


@pytest.fixture(scope="module")
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        made = Browser(profile)
        yield made
        made.close()


def test_all_pages_are_built():
    assert len(PAGES) > 50 and {"index.html", "start.html", "which.html", "own/choosing.html"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_scrolls_sideways(browser, page):
    browser.open(page, PHONE, "dark")
    found = {f"{PHONE}, dark": browser.tell(WIDER)}
    for width, scheme in ((PHONE, "light"), (DESKTOP, "light"), (DESKTOP, "dark")):
        browser.look(width, scheme)
        found[f"{width}, {scheme}"] = browser.tell(WIDER)
    assert {where: wider for where, wider in found.items() if wider} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["index", "start", "own/tests", "porting/statistics", "api/own", "which"])
def test_text_is_readable(browser, page, scheme):
    browser.open(f"{page}.html", DESKTOP, scheme)
    background = browser.tell("getComputedStyle(document.body).backgroundColor")
    ratio, where = browser.tell(CONTRAST)
    assert ratio > 3, where
    dark = sum(map(int, background[4:-1].split(","))) < 3 * 100
    assert dark == (scheme == "dark"), background


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_from_the_landing_page_to_a_first_release_by_clicks(browser, width):
    browser.open("index.html", width)
    browser.click("article a[href='start.html']")
    browser.loaded()
    assert browser.tell("document.title").startswith("A first release")
    browser.click("article a[href='#one-number']")
    shown = browser.tell(
        "(() => { const box = document.querySelector('#one-number .run').getBoundingClientRect();"
        " return [box.top, innerHeight, document.querySelector('#one-number table').innerText]; })()"
    )
    assert 0 <= shown[0] < shown[1] and "estimate" in shown[2] and "age" in shown[2]


def test_a_phone_has_all_pages_behind_its_button(browser):
    browser.open("index.html", PHONE)
    where = "document.querySelector('.sidebar-tree a[href=\"which.html\"]').getBoundingClientRect().right"
    assert browser.tell(where) <= 0
    browser.click("label.nav-overlay-icon")
    shown = browser.tell(f"new Promise(done => setTimeout(() => done({where}), 500))")
    assert 0 < shown <= PHONE


@pytest.mark.parametrize("words", WORDS)
def test_a_page_is_found_by_what_users_type(browser, words):
    browser.open(f"search.html?q={words.replace(' ', '+')}")
    found = browser.tell(
        """new Promise(done => { let tries = 0, last = -1; const look = () => {
          const links = [...document.querySelectorAll("#search-results li a")];
          if ((links.length && links.length === last) || ++tries > 60)
            done(links.map(a => a.getAttribute("href")));
          else { last = links.length; setTimeout(look, 250); } }; look(); })"""
    )
    first = [link.partition("?")[0].partition("#")[0] for link in found[:6]]
    assert {f"{page}.html" for page in WORDS[words]} & set(first), found[:12]
