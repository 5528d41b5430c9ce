# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Findings in a notebook: a race is drawn by the page's own script (interface/page/page), in a
shadow tree, so that neither its style nor its names meet those of the notebook."""
import html
import itertools
import json
from functools import lru_cache
from typing import Any, Dict, List

from gauntlet._findings import Finding, Findings, Party
from gauntlet._program import page_file

_numbers = itertools.count(1)


@lru_cache(maxsize=None)
def _drawing() -> str:
    scripts = "\n".join(page_file(name).replace('"use strict";', "") for name in ("dom.js", "lanes.js"))
    style = page_file("page.css").replace(":root", ":host")
    return f"{scripts}\nconst style = {_as_script(style)};"


def _as_script(value: Any) -> str:
    # A script ends where its text says so, also inside of a string.
    return json.dumps(value).replace("<", "\\u003c")


def _event(party: Party, does: str, finding: Finding) -> Dict[str, Any]:
    cell = f"{finding.array}[{finding.index}]" if finding.array else "memory"
    return {"launch": 1, "block": ",".join(map(str, party.block)), "warp": party.warp,
            "lane": party.lane, "does": does, "cell": cell, "value": party.value or "?",
            "value_in_base": "", "file": party.file.rsplit("/", 1)[-1], "line": party.line,
            "decides": True}


def events_of(finding: Finding) -> List[Dict[str, Any]]:
    """The two accesses of a race, as the steps of a schedule."""
    if finding.other is None or not finding.kind.startswith("race_"):
        return []
    first, second = {"race_read_write": ("loads", "stores"), "race_write_read": ("stores", "loads"),
                     "race_write_write": ("stores", "stores")}.get(finding.kind, ("stores", "stores"))
    # A finding names the later access first.
    return [_event(finding.other, first, finding), _event(finding.at, second, finding)]


def of_finding(finding: Finding) -> str:
    return _figure(str(finding), [finding])


def of_findings(findings: Findings) -> str:
    return _figure(str(findings), findings)


def _figure(text: str, findings: List[Finding]) -> str:
    pictures = [{"caption": str(one).split("\n", 1)[0], "events": events_of(one)} for one in findings]
    pictures = [one for one in pictures if one["events"]]
    shown = f"<pre>{html.escape(text)}</pre>"
    if not pictures:
        return shown
    name = f"gauntlet-{next(_numbers)}"
    return f"""<div id="{name}">{shown}<div class="picture"></div></div>
<script>(() => {{
const places = document.querySelectorAll("#{name} .picture"), place = places[places.length - 1];
if (!place || place.shadowRoot) return;
{_drawing()}
place.attachShadow({{mode: "open"}}).append(h("style", {{}}, style), h("div", {{}},
  {_as_script(pictures)}.map((one) => interleaving(one, one.caption))));
}})();</script>"""
