# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""What a notebook displays: the text, and of a race the page's drawing, run by node."""
import html
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import ptx_shift

import gauntlet


def findings(right=False):
    return gauntlet.sanitize(ptx_shift(right), 1, 128, np.zeros(128, np.int32))


def drawn(shown, folder):
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        pytest.skip("nodejs is not installed")
    (folder / "shown.html").write_text(shown)
    ran = subprocess.run([node, Path(__file__).parent / "notebook.js", folder / "shown.html"], encoding="utf-8",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert ran.returncode == 0, ran.stdout
    return [tuple(line.split("|")) for line in ran.stdout.splitlines()]


def test_a_race_is_a_picture_of_its_two_accesses(tmp_path):
    race = next(one for one in findings() if one.kind == "race_write_read")
    picture = drawn(race._repr_html_(), tmp_path)
    assert [one for one in picture if one[0] == "figure"] == [("figure", "interleaving", "")]
    # The store comes first, by the other party: rows top down, threads from left to right.
    boxes = [one[1] for one in picture if one[0] == "g" and one[1]]
    assert boxes == ["store decides", "load decides"]
    names = [one[2] for one in picture if one[1] == "head"]
    assert names == ["warp 0 lane 0", "warp 2 lane 0"]
    texts = [one[2] for one in picture if one[0] == "text"]
    assert f"{race.array}[{race.index}] = {race.other.value}" in texts
    assert ("figcaption", "", str(race).split("\n")[0]) in picture


def test_what_is_no_race_is_text(tmp_path):
    other = next(one for one in findings() if one.kind == "poison_output")
    assert other._repr_html_() == f"<pre>{html.escape(str(other))}</pre>"
    assert findings(right=True)._repr_html_().startswith("<pre>") and drawn(findings(right=True)._repr_html_(), tmp_path) == []


def test_all_findings_are_shown_together_and_text_cannot_end_the_script(tmp_path):
    found = findings()
    shown = found._repr_html_()
    assert html.escape(found.text) in shown and len([one for one in drawn(shown, tmp_path) if one[0] == "figure"]) == 1
    race = next(one for one in found if one.kind == "race_write_read")
    from dataclasses import replace
    odd = replace(race, array="</script><b>", detail="<i>")
    assert odd._repr_html_().count("</script>") == 1 and "<i>" not in odd._repr_html_() and "<b>" not in odd._repr_html_()
    assert [one[0] for one in drawn(odd._repr_html_(), tmp_path)].count("figure") == 1


def test_a_browser_draws_it(tmp_path):
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        pytest.skip("chromium is not installed")
    race = next(one for one in findings() if one.kind == "race_write_read")
    page = tmp_path / "notebook.html"
    # A notebook may show the same cell's output twice.
    page.write_text(f"<!doctype html><body>{race._repr_html_()}{findings()._repr_html_()}<pre id=said></pre><script>" + """
const words = [...document.querySelectorAll(".picture")].map(({shadowRoot}) => {
  const image = shadowRoot.querySelector("svg.lanes"), box = image.getBoundingClientRect();
  return [shadowRoot.querySelectorAll("figure").length, image.querySelectorAll("g.decides > rect").length,
          [...image.querySelectorAll("text.head")].map((one) => one.textContent).join("+"), box.width > 300 && box.height > 50,
          getComputedStyle(image.querySelector("g.decides > rect")).strokeWidth].join(" ");
});
document.getElementById("said").textContent = words.join("\\n");
</script></body>""")
    ran = subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={tmp_path}/profile",
                          "--virtual-time-budget=10000", "--dump-dom", page.as_uri()],
                         encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert ":CONSOLE" not in ran.stderr, ran.stderr
    said = html.unescape(re.search("<pre id=\"said\">(.*?)</pre>", ran.stdout, re.S)[1]).split("\n")
    assert said == ["1 2 warp 0 lane 0+warp 2 lane 0 true 2.5px"] * 2, said
