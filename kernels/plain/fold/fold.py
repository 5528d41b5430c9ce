#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the kernels as plain CUDA: fold.py OUT KERNEL.cu...

One file for each form, OUT/VARIANT@FORM.cu, of one instance: the document's own type, the sum, a
block of 256 where the block is a constant. OUT/VARIANT.lines says for each form its instance (types,
operator, block or 0, value of block_size or 0) and from which lines of the sources its lines come. clang instantiates the templates and chooses the branches; what is
then known is folded, and helpers that are called once become part of the kernel."""

import gc
import os
import re
import sys
import tempfile
import textwrap

import expressions
from expressions import Unknown, declared, plain
from calls import Line
from functions import Functions
from tree import HERE, ROOT, Tree, attributes, body, children, params, run, type_of

SILENT = ("fixes.cuh", "operators.cuh", "types.cuh")  # nothing there accesses memory
COLUMNS = 80  # of .clang-format
OPERATOR = {"redux": "minimum"}  # under which all of its defects show


def instance(kernels, variant, form):
    """The entry of a form that is printed."""
    def entry(which, types):
        stem = "%s__%s__%s_%s" % (variant, which, types, OPERATOR.get(variant, "sum"))
        return kernels.get(stem) or kernels.get(stem + "__b256")

    types = "f32_f32" if entry("documented", "f32_f32") else "i32_i32"
    return entry(form, types)


def struct_lines(tree, name, argument):
    for node in tree.nodes.values():
        if node.get("kind") != "ClassTemplateSpecializationDecl" or node.get("name") != name:
            continue
        found = [type_of(n) for n in children(node) if n["kind"] == "TemplateArgument"]
        if not found or plain(found[0]) != plain(argument):
            continue
        aligned = "alignas(16) " if name == "Vector" else ""
        lines = ["struct %s%s {" % (aligned, name)]
        for field in children(node):
            if field["kind"] == "FieldDecl":
                start = " = {}" if field.get("hasInClassInitializer") else ""
                text = declared(plain(type_of(field)), field["name"]) + start + ";"
                comment = re.match(r"[^\n]*?///?< ?([^\n]*)",
                                   tree.text[field["range"]["end"]["offset"]:])
                lines += ["// " + comment[1]] if comment else []
                lines.append(text)
        return lines + ["};", ""]
    raise Unknown("struct %s<%s>" % (name, argument))


def printed(tree, kernel, variant):
    """Lines of one kernel, and its launch bounds."""
    expressions.STRUCTS.clear()
    expressions.LOCAL.clear()
    p = Functions(tree, kernel)
    names = []
    for parameter in params(kernel):
        p.scopes[-1][parameter["name"]] = None
        p.env[parameter["id"]] = expressions.Text(parameter["name"], simple=True)
        names.append(declared(plain(type_of(parameter)), parameter["name"]))
    bounds = "__launch_bounds__(1024) " if "AnnotateAttr" in attributes(kernel) else ""
    p.block_of(children(body(kernel)), top=True)
    lines = []
    everything = [l for _, f in p.functions.values() for l in f] + p.out
    text = "\n".join(l.text for l in everything)
    if "cooperative_groups::" in text:
        lines += [Line("#include <cooperative_groups.h>"), Line("")]
    lines += [Line(t) for t in tree.device_variables()]
    if "block_size" in text:
        lines += [Line("constexpr unsigned block_size = %d;" % p.block), Line("")]
    for name, argument in sorted(expressions.STRUCTS):
        lines += [Line(t) for t in struct_lines(tree, name, argument)]
    for _, function in p.functions.values():
        lines += [*without_unused(function), Line("")]
    lines.append(Line('extern "C" __global__ void %s%s(%s) {' % (bounds, variant, ", ".join(names))))
    lines += [*without_unused(p.out), Line("}")]
    return lines, p.block if "block_size" in text else 0


def with_wrapped_comments(lines):
    result, words = [], []
    for line in lines + [Line("")]:
        if line.text.startswith("// "):
            words += line.text[3:].split()
            continue
        if words:
            result += [Line("// " + t) for t in textwrap.wrap(" ".join(words), COLUMNS - 9)]
            words = []
        result.append(line)
    return result[:-1]


def formatted(pieces):
    """clang-format moves white space only, so that a line's characters say where it went. One call for
    all pieces: it takes longer to start than to format."""
    pieces = [with_wrapped_comments(lines) for lines in pieces]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "%d.cu" % k) for k in range(len(pieces))]
        for path, lines in zip(paths, pieces):
            with open(path, "w") as file:
                file.write("\n".join(l.text for l in lines) + "\n")
        run(["clang-format-14", "--style=file:" + os.path.join(HERE, "../.clang-format"), "-i", *paths])
        neat = []
        for path in paths:
            with open(path) as file:
                neat.append(file.read())
    return [with_origins(*pair) for pair in zip(pieces, neat)]


def with_origins(lines, neat):
    origin = []
    for line in lines:
        origin += [line.origins] * len(re.sub(r"\s", "", line.text))
    result, at = [], 0
    for text in neat.split("\n")[:-1]:
        count = len(re.sub(r"\s", "", text))
        result.append(Line(text, origin[at] if count and at < len(origin) else set()))
        at += count
    if at != len(origin):
        raise SystemExit("clang-format changed more than white space")
    return result


def without_unused(lines):
    """A constant that folding left without a reader goes."""
    for k, line in enumerate(lines):
        found = re.match(r"const [\w ]+?\*? ?(\w+) = [^()\[\]]*;$", line.text)
        if found and sum(len(re.findall(r"\b%s\b" % found[1], l.text)) for l in lines) == 1:
            return without_unused(lines[:k] + lines[k + 1:])
    return lines


def places(line):
    found = sorted({"%s:%d" % (os.path.basename(f), n) for f, n in line.origins
                    if f.startswith("kernels/") and os.path.basename(f) not in SILENT})
    return " ".join(found)


def main(out, *files):
    gc.disable()  # clang's trees are millions of objects, none of them garbage
    failed = 0
    made, pieces = [], []
    for path in files:
        tree = Tree(path)
        variant = os.path.splitext(os.path.basename(path))[0]
        for form in sorted({k.split("__")[1] for k in tree.kernels}):
            kernel = instance(tree.kernels, variant, form)
            if kernel is None:
                continue
            name = "%s@%s" % (variant, spelled(form))
            try:
                lines, size = printed(tree, kernel, variant)
            except Unknown as error:
                print("%s: %s" % (name, error), file=sys.stderr)
                failed += 1
                continue
            made.append((name, kernel["name"], size))
            pieces.append(lines)
    records = {os.path.splitext(os.path.basename(path))[0]: [] for path in files}
    for (name, kernel, size), lines in zip(made, formatted(pieces)):
        with open(os.path.join(out, name + ".cu"), "w") as file:
            file.write("\n".join(l.text for l in lines) + "\n")
        of = kernel.split("__")[2:]
        block = int(of[1][1:]) if len(of) > 1 else 0
        record = records[name.split("@")[0]]
        record.append("%s %s %d %d" % (name, " ".join(of[0].split("_")), block, size))
        for number, line in enumerate(lines, 1):
            if places(line):
                record.append("%d %s" % (number, places(line)))
    for variant, record in records.items():
        with open(os.path.join(out, variant + ".lines"), "w") as file:
            file.write("\n".join(record) + "\n")
    return 1 if failed else 0


def fixes():
    """The names of all fixes, which have underscores of their own."""
    with open(os.path.join(ROOT, "kernels/fixes.cuh")) as file:
        return re.findall(r"inline constexpr unsigned (\w+) = 1u", file.read())


def spelled(form):
    """fixed_syncwarp_volatile_shared: fixed-syncwarp-volatile_shared."""
    rest, words = form, []
    for head in ("documented", "fixed"):
        if rest == head or rest.startswith(head + "_"):
            words.append(head)
            rest = rest[len(head) + 1:]
            break
    while rest:
        word = max((f for f in fixes() if rest == f or rest.startswith(f + "_")), key=len)
        words.append(word)
        rest = rest[len(word) + 1:]
    return "-".join(words)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
