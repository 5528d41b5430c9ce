#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of `gauntlet report` in Chromium with everything unfolded, and looks at what is there.

browse.py CHROMIUM open PAGE
browse.py CHROMIUM make GAUNTLET PROJECT BUILD   makes a page of all kinds of results first
browse.py CHROMIUM own GAUNTLET                  makes the page of a user's own kernels"""
import html
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

failures = []


def require(what, message):
    if not what:
        failures.append(message)


class Page(html.parser.HTMLParser):
    """Ids, links within the page, addresses that need a network, and how often each class comes."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.remote = [], [], []
        self.figures, self.empty_figures, self.classes = 0, 0, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        for name in ("href", "src"):
            address = given.get(name) or ""
            if address.startswith("#"):
                self.links.append(address[1:])
            elif address and not address.startswith("data:"):
                self.remote.append(address)
        for name in (given.get("class") or "").split():
            self.classes[name] = self.classes.get(name, 0) + 1
        if tag == "figure":
            self.figures += 1


# In the page: asked by the frame around it, says by how much it is wider than its window, and its text.
IN_PAGE = """<script>onmessage = (e) => {
  if (e.data.printed)
    for (const sheet of document.styleSheets)
      for (const rule of sheet.cssRules)
        if (rule.media?.mediaText === "print") rule.media.mediaText = "all";
  const root = document.documentElement;
  parent.postMessage({overflow: root.scrollWidth - root.clientWidth,
                      html: e.data.text ? root.outerHTML : ""}, "*");
}</script></body>"""
# Around it: goes through the windows, and writes down what the page answers.
AROUND = """<!doctype html><body><pre id=answers></pre><iframe height=900 src="page.html?open"></iframe><script>
const windows = %s, answers = [], frame = document.querySelector("iframe");
const ask = () => {
  frame.width = windows[answers.length].width;
  frame.contentWindow.postMessage(windows[answers.length], "*");
};
frame.onload = ask;
onmessage = (e) => {
  answers.push(e.data);
  if (answers.length < windows.length) ask();
  else document.getElementById("answers").textContent = JSON.stringify(answers);
};
frame.width = windows[0].width;
</script></body>"""
# A narrow phone, two windows, and A4 within its margins.
WINDOWS = [{"width": 360}, {"width": 500}, {"width": 1280, "text": True}, {"width": 700, "printed": True}]


def browsed(chromium, page):
    """What the page, whose script has run, answers in each of the windows."""
    with tempfile.TemporaryDirectory() as folder:
        text = page.read_text()
        require(text.count("@media print") == 1, "no style for paper")
        (pathlib.Path(folder) / "page.html").write_text(text.replace("</body>", IN_PAGE))
        around = pathlib.Path(folder) / "around.html"
        around.write_text(AROUND % json.dumps(WINDOWS))
        ended = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={folder}/profile", "--window-size=1400,1000",
             "--virtual-time-budget=10000", "--dump-dom", around.as_uri()],
            capture_output=True, text=True, timeout=300)
    console = [line for line in ended.stderr.splitlines() if ":CONSOLE" in line]
    require(not console, f"the console says {console[:3]}")
    answers = re.search("<pre id=\"answers\">(.*?)</pre>", ended.stdout, re.DOTALL)
    if not answers or not answers[1]:
        sys.exit(f"FAILED: no answer of the page: {ended.stderr[-500:]}")
    return json.loads(html.unescape(answers[1]))


def look(chromium, page, wanted):
    answers = browsed(chromium, page)
    for window, answer in zip(WINDOWS, answers, strict=True):
        require(answer["overflow"] == 0, f"{answer['overflow']} wider than its window: {window}")
    seen = Page(answers[2]["html"])
    require(len(seen.ids) == len(set(seen.ids)), "an id comes twice: " +
            ", ".join(sorted({i for i in seen.ids if seen.ids.count(i) > 1})[:5]))
    absent = [link for link in seen.links if link not in seen.ids]
    require(not absent, f"links lead nowhere: {absent[:5]}")
    require(not seen.remote, f"it needs a network: {seen.remote[:3]}")
    for name in wanted["ids"]:
        require(name in seen.ids, f"no section {name}")
    for name, least in wanted["classes"].items():
        require(seen.classes.get(name, 0) >= least,
                f"{seen.classes.get(name, 0)} of {name}, at least {least} wanted")
    print(f"{page.name}: {len(seen.ids)} ids, {len(seen.links)} links, {seen.figures} figures, "
          f"{page.stat().st_size / 1e6:.2f} MB")
    return answers[2]["html"]


def make(gauntlet, project, build, folder):
    """One document of each kind, into one page."""
    results = f"{project}/docs/results/2026-11-22-NVIDIA-H100-80GB-HBM3"
    (pathlib.Path(folder) / "flags").write_text(f"-I{project}/examples/own_kernel/include\n")
    runs = {
        "list": ["list"],
        "claims": ["claims", "1", "2"],
        "check": ["check", "--cases", "1", "volatile_warp_tail", "wide_active"],
        "own": ["check", "--no-regressions", "--cases", "20", "--flags", f"{folder}/flags",
                f"{project}/examples/own_kernel/missing_barrier.gauntlet"],
        "repro": ["repro", "--trace", "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 "
                  "grid=1 schedule=replay:L.10l1x2"],
        "witness": ["witness", "volatile_warp_tail@fixed-syncwarp"],
        "prove": ["prove", "--tree", "ascii",
                  "half_shared@fixed-block_stride i32->i32 sum n=17 block=8 grid=2"],
        "sanitize": ["sanitize", f"{build}/tests/sanitizer/kernel/sanitize_defects.ptx", "--entry",
                     "race_inside_warp<false>", "--grid", "1", "--block", "32", "--arg",
                     "out:i32[32]"],
    }
    if pathlib.Path(f"{build}/tests/sanitizer/program/faults").exists():
        runs["run"] = ["run", "--", f"{build}/tests/sanitizer/program/faults", "race"]
    documents = [f"{results}/detection.json", f"{results}/timing.json"]
    for name, words in runs.items():
        documents.append(f"{folder}/{name}.json")
        at = len(words) if "--" not in words else words.index("--")
        ended = subprocess.run([gauntlet, *words[:at], "--json", documents[-1], *words[at:]],
                               capture_output=True, text=True, check=False)
        require(ended.returncode in (0, 1), f"{words}: {ended.stderr}")
    page = pathlib.Path(folder) / "results.html"
    subprocess.run([gauntlet, "report", page, *documents], check=True)
    return page, [name for name in runs if name not in ("list", "own")]


SOFTMAX = """__global__ void largest(const float* x, float* y) {
  __shared__ float s[2];
  float m = x[threadIdx.x];
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
  BARRIER
  y[threadIdx.x] = fmaxf(s[0], s[1]);
}
"""
SPEC = "kernel NAME.cu\nin x:f32[64]\nout y:f32[64]\nlaunch grid=1 block=64\nresult y[i] = max(x)\n"


def make_own(gauntlet, folder):
    """A kernel without its barrier and with it, checked, replayed and compared, as their author would do it."""
    project = pathlib.Path(folder) / "my_project"
    (project / "results").mkdir(parents=True)
    for name, barrier in (("racy", "//"), ("right", "__syncthreads();")):
        (project / f"{name}.cu").write_text(SOFTMAX.replace("BARRIER", barrier))
        (project / f"{name}.gauntlet").write_text(SPEC.replace("NAME", name))
    runs = [["check", "--cases", "5", "racy.gauntlet", "right.gauntlet"], ["repro", "--trace", "racy.gauntlet"],
            ["why", "racy.gauntlet", "right.gauntlet"]]
    for words in runs:
        ended = subprocess.run([gauntlet, words[0], "--json", f"results/{words[0]}.json", *words[1:]], cwd=project,
                               capture_output=True, text=True, check=False)
        require(ended.returncode == (words[0] != "why"), f"{words}: {ended.returncode} {ended.stderr}")
    subprocess.run([gauntlet, "report", "page.html", *(f"results/{words[0]}.json" for words in runs)], cwd=project, check=True)
    return project / "page.html"


chromium, what = sys.argv[1:3]
if what == "open":
    look(chromium, pathlib.Path(sys.argv[3]),
         {"ids": ["check", "fixes", "claims", "time", "fix-volatile_warp_tail-syncwarp"],
          "classes": {"interleaving": 20, "source": 80, "lanes": 20, "time": 4, "item": 100}})
elif what == "own":
    with tempfile.TemporaryDirectory() as folder:
        text = look(chromium, make_own(sys.argv[3], folder),
                    {"ids": ["check", "fixes", "repro"], "classes": {"interleaving": 2, "excerpt": 3, "poison": 1, "undefined": 3,
                                                                     "source": 1}})
        main = text[text.index("<main"):]
        require('<h1 id="title">my_project</h1>' in text, "the heading is not the project")
        require("2 of 3 results have findings" in text, "how many have findings")
        require(main.index("race_write_read") < main.index("gauntlet repro"), "what was found is not at the beginning")
        for source in ("if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;", "y[threadIdx.x] = fmaxf(s[0], s[1]);", "__syncthreads();"):
            require(main.count(source) > 0, f"no line {source}")
        # Of the replayed case: the two parties of the race on s[1], and what they do to it is red.
        replay = main[main.index('id="repro"'):]
        heads = re.findall('class="head">([^<]*)<', replay)
        require("warp 0 lane 0" in heads and "warp 1 lane 0" in heads and len(heads) <= 4, f"lanes {heads}")
        require('class="store decides' in replay and 'class="load decides undefined' in replay, "nothing is red")
        require("first value that differs: <code>y[0]</code> is undefined without the fix" in main, "no first cell that differs")
else:
    with tempfile.TemporaryDirectory() as folder:
        page, sections = make(*sys.argv[3:6], folder)
        look(chromium, page, {"ids": [*sections, "fixes", "time", "check-2"],
                              "classes": {"interleaving": 3, "source": 3, "time": 4, "item": 3,
                                          "sumtree": 1, "wrong": 8}})
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
