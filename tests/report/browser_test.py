#!/usr/bin/env python3
"""Opens a report in headless Chromium over WebDriver: no console error, the tooltip follows mouse
and keyboard, the table sorts and filters, nothing is wider than a 400 px screen.

usage: browser_test.py SAMPLE_REPORT_PROGRAM FOLDER
Exit status 77 where chromedriver is not installed.
"""
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

SKIPPED = 77


class Browser:
    """One WebDriver session; only what the test needs of the protocol."""

    def __init__(self, driver):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL)
        self.session = None
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--window-size=1100,900"]}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                        "goog:loggingPrefs": {"browser": "ALL"}}}
        for attempt in range(100):
            try:
                self.session = self.call("POST", "/session", {"capabilities": capabilities})["sessionId"]
                return
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        prefix = f"/session/{self.session}" if self.session else ""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{prefix}{path}", method=method,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def keys(self, *keys):
        actions = [{"type": step, "value": key} for key in keys for step in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def resize(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def screenshot(self, file):
        import base64
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        if self.session:
            self.call("DELETE", "")
        self.process.terminate()
        self.process.wait()


def check(truth, what):
    if not truth:
        raise AssertionError(what)
    print("ok:", what)


def column(browser, index):
    return browser.script(
        f"return [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[{index}].textContent)")


def check_tooltip(browser):
    browser.script("document.getElementById('plot').focus()")
    first = browser.script("return document.getElementById('tooltip').textContent")
    check("bound:" in first, "focusing the plot shows the best point")
    browser.keys("\ue014")  # right arrow
    second = browser.script("return document.getElementById('tooltip').textContent")
    check(second and second != first, "the arrow key goes to another point")
    box = browser.script("""
        document.activeElement.blur();
        const c = document.querySelector('circle.point').getBoundingClientRect();
        return [Math.round(c.x + c.width / 2), Math.round(c.y + c.height / 2)];""")
    check(browser.script("return document.getElementById('tooltip').hidden"), "leaving hides it")
    browser.call("POST", "/actions", {"actions": [{
        "type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": box[0], "y": box[1]}]}]})
    check(not browser.script("return document.getElementById('tooltip').hidden"),
          "hovering a point shows it")


def check_table(browser, evaluations):
    check(browser.script("return document.getElementById('row-count').textContent")
          == f"{evaluations:,} rows", "the table counts every record")
    browser.script("document.querySelectorAll('#table thead button')[1].click()")
    values = [int(v) for v in column(browser, 1)]
    check(values == sorted(values) and len(values) == 200, "a click sorts the first 200 rows")
    browser.script("document.querySelectorAll('#table thead button')[1].click()")
    check(int(column(browser, 1)[0]) == 128, "a second click sorts the other way")
    browser.script("""const f = document.getElementById('filter'); f.value = 'BM=16 BN=32';
                      f.dispatchEvent(new Event('input'))""")
    check(set(column(browser, 1)) == {"16"} and set(column(browser, 2)) == {"32"},
          "the filter keeps matching rows alone")


def check_page(browser, file, evaluations):
    browser.call("POST", "/url", {"url": file.as_uri()})
    started = time.monotonic()
    check(browser.script("return document.querySelectorAll('circle.point').length")
          > evaluations * 0.8, "every successful configuration is a point")
    check(browser.script("return document.scripts.length") == 2, "no string became a script")
    check("</script>" in browser.script("return document.getElementById('title').textContent"),
          "a hostile device name is shown as text")
    check_tooltip(browser)
    browser.screenshot(file.with_suffix(".png"))
    check_table(browser, evaluations)
    browser.resize(400, 800)
    check(browser.script("return document.documentElement.scrollWidth <= innerWidth"),
          "nothing is wider than a 400 px screen")
    errors = [entry for entry in browser.call("POST", "/se/log", {"type": "browser"})
              if entry["level"] == "SEVERE"]
    check(not errors, f"no console error {errors}")
    print(f"{evaluations} configurations in {time.monotonic() - started:.1f} s")


def main():
    driver = shutil.which("chromedriver")
    if driver is None:
        print("chromedriver is not installed (Debian package chromium-driver): skipped")
        return SKIPPED
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "report.html").resolve()
    evaluations = 5000
    subprocess.run([program, str(file), str(evaluations)], check=True)
    browser = Browser(driver)
    try:
        check_page(browser, file, evaluations)
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
