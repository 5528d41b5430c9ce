#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""site_test.py PROJECT [CHROMIUM]: the site that ci/site makes has a page for each document, all its links and
anchors lead somewhere, none of its pages needs a network, is wider than its window or breaks a word of a table; a dead
link is told."""
import html.parser
import pathlib
import shutil
import subprocess
import sys
import tempfile

project = pathlib.Path(sys.argv[1])
python = next((p for p in ("/usr/bin/python3", sys.executable)
               if subprocess.run([p, "-c", "import markdown"], capture_output=True, check=False).returncode == 0), None)
if not python:
    print("skipped: python3-markdown is not installed")
    sys.exit(77)
failures = []


def require(what, message):
    if not what:
        failures.append(message)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.headings = set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.add(given.get("id"))
        self.headings += tag == "h1"
        self.links += [(tag, given[name]) for name in ("href", "src", "srcset") if given.get(name)]


def made(root, out, *more):
    return subprocess.run([python, root / "ci/site", out, *more], capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "site"
    ended = made(project, out)
    require(ended.returncode == 0, ended.stderr)
    pages = {file: Page(file.read_text()) for file in out.rglob("*.html") if file.name != "report.html"}
    for document in project.glob("docs/*.md"):
        require((out / document.with_suffix(".html").name) in pages, f"no page of {document.name}")
    for file, page in pages.items():
        require(page.headings == 1 or "results" in file.parts, f"{file.name} has {page.headings} headings of the first level")
        for tag, link in page.links:
            address, _, anchor = link.partition("#")
            if address.startswith(("http:", "https:", "mailto:")):
                require(tag == "a", f"{file.name} needs a network: {link}")
                continue
            target = (file.parent / address).resolve() if address else file
            require(target.is_file(), f"{file.name}: {link} leads nowhere")
            if anchor and target in pages:
                require(anchor in pages[target].ids, f"{file.name}: {link} has no such heading")
    with_source = made(project, pathlib.Path(folder) / "with", "https://example.org/tree")
    require('href="https://example.org/tree/examples/own_kernel"' in (pathlib.Path(folder) / "with/index.html").read_text(),
            "links to files are not at the place that was named")
    if len(sys.argv) == 3:
        around = pathlib.Path(folder) / "around.html"
        names = [str(file.relative_to(folder)) for file in sorted(pages)]
        around.write_text(f"""<!doctype html><body><pre id=said></pre><script>
const names = {names}, wide = [];
const next = (k) => {{
  if (k === 2 * names.length) return document.getElementById("said").textContent = wide.join(" ") || "all fit";
  const frame = document.createElement("iframe");
  frame.width = k % 2 ? 400 : 1400;
  frame.onload = () => {{
    const root = frame.contentDocument.documentElement;
    if (root.scrollWidth > root.clientWidth) wide.push(`${{names[k >> 1]}}:${{frame.width}}`);
    for (const cell of root.querySelectorAll("th, td code")) {{
      if (/^\\w{{2,24}}$/.test(cell.textContent)) {{
        const range = frame.contentDocument.createRange();
        range.selectNodeContents(cell);
        if (range.getClientRects().length > 1) wide.push(`${{names[k >> 1]}}:${{frame.width}} breaks ${{cell.textContent}}`);
      }}
    }}
    frame.remove();
    next(k + 1);
  }};
  frame.src = names[k >> 1];
  document.body.append(frame);
}};
next(0);
</script></body>""")
        seen = subprocess.run([sys.argv[2], "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                               f"--user-data-dir={folder}/profile", "--virtual-time-budget=60000", "--dump-dom", around.as_uri()],
                              capture_output=True, text=True, timeout=200, check=False).stdout
        require('<pre id="said">all fit</pre>' in seen, seen[:800])
    copy = pathlib.Path(folder) / "copy"
    (copy / "ci").mkdir(parents=True)
    shutil.copy(project / "ci/site", copy / "ci/site")
    shutil.copytree(project / "docs", copy / "docs", ignore=shutil.ignore_patterns("results", "report.html"))
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        (copy / name).write_text(f"# {name}\n")
    (copy / "docs/run.md").write_text("# Run\n\n[there](no_such_page.md)\n")
    ended = made(copy, pathlib.Path(folder) / "of_copy")
    require(ended.returncode == 2 and "site: docs/run.md: no_such_page.md leads nowhere\n" in ended.stderr, ended.stderr)
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
