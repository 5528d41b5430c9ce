# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel file as clang sees it: the declarations of all instances, with the text they stand in."""

import bisect
import functools
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
CLANG = os.environ.get("GAUNTLET_CLANG", "clang++-14")


class Tree:
    """`nodes`: by clang's id. `kernels`: the entries, by name."""

    def __init__(self, path):
        include = os.path.join(HERE, "include")
        flags = ["-std=c++20", "-I", include, "-I", ROOT]
        self.text = run([CLANG, *flags, "-x", "c++", "-E", "-CC", "-include",
                         os.path.join(include, "cuda.h"), "-nostdinc++", path])
        dump = run([CLANG, "-std=c++20", "-x", "c++-cpp-output", "-fsyntax-only", "-w", "-Xclang",
                    "-ast-dump=json", "-"], self.text)
        self.path = path
        self.nodes, self.kernels, self.globals = {}, {}, []
        self.homes = {}  # of variables: the function that declares each
        self._lines()
        root = json.loads(dump)
        self._index(root)

    def _index(self, node):
        todo = [node]
        while todo:
            n = todo.pop()
            if "id" in n and (n["id"] not in self.nodes or "inner" in n):
                self.nodes[n["id"]] = n
            name = n.get("name", "")
            if n.get("kind") == "FunctionDecl" and "__" in name and body(n) is not None:
                if re.match(r"[a-z].*__(documented|fixed)", name):
                    self.kernels[name] = n
            todo.extend(i for i in n.get("inner", []) if i)

    def _lines(self):
        """Where each line of the preprocessed text comes from."""
        self.starts, self.origin = [], []
        file, line, at = "", 0, 0
        for text in self.text.splitlines(keepends=True):
            marker = re.match(r'# (\d+) "([^"]*)"', text)
            self.starts.append(at)
            if marker:
                file, line = relative(marker[2]), int(marker[1]) - 1
                self.origin.append(("", 0))
            else:
                line += 1
                self.origin.append((file, line))
            at += len(text)

    def where(self, offset):
        """(file, line) of the sources."""
        return self.origin[bisect.bisect_right(self.starts, offset) - 1]

    def device_variables(self):
        """The lines of the kernel file that declare variables of the device, with their comments."""
        with open(self.path) as file:
            lines, result = file.read().split("\n"), []
        for k, line in enumerate(lines):
            if line.startswith("__device__") and line.endswith(";"):
                first = k
                while lines[first - 1].startswith("///"):
                    first -= 1
                result += [re.sub("^///", "//", l) for l in lines[first:k + 1]] + [""]
        return result

    def source(self, node):
        begin, end = span(node)
        return self.text[begin:end]

    def comment_before(self, offset):
        """The // lines that stand directly above."""
        lines, at = [], self.text.rfind("\n", 0, offset)
        if self.text[at + 1:offset].strip():
            return []
        while at > 0:
            before = self.text.rfind("\n", 0, at)
            line = self.text[before + 1:at].strip()
            if not line.startswith("//"):
                break
            lines.insert(0, re.sub(r"^//[/!]?<?", "//", line))
            at = before
        return lines


@functools.cache
def relative(file):
    return os.path.relpath(file, ROOT) if file else ""


def run(command, text=None):
    # By way of a file: clang writes its trees, of many megabytes, in small pieces.
    with tempfile.TemporaryFile("w+") as out:
        done = subprocess.run(command, input=text, stdout=out, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise SystemExit("%s: %s" % (command[0], done.stderr[:2000]))
        out.seek(0)
        return out.read()


def span(node):
    r = node["range"]
    return r["begin"]["offset"], r["end"]["offset"] + r["end"]["tokLen"]


def body(function):
    for n in function.get("inner", []):
        if n.get("kind") == "CompoundStmt":
            return n
    return None


def children(node):
    found = node.get("children")
    if found is None:
        found = node["children"] = [n for n in node.get("inner", ())
                                    if n and not n["kind"].endswith("Comment")]
    return found


def params(function):
    return [n for n in children(function) if n["kind"] == "ParmVarDecl"]


def attributes(node):
    return {n["kind"] for n in children(node) if n.get("kind", "").endswith("Attr")}


def type_of(node):
    t = node.get("type", {})
    return t.get("desugaredQualType", t.get("qualType", ""))
