# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Statements of an instance, and what a function knows while it is printed."""

import re

from calls import KEPT, Calls, Lambda, Line, NotInline, modified, variables, walk
from expressions import BLOCK, LOCAL, Text, Unknown, bare, declared, literal, plain, strip, wrapped
from tree import attributes, body, children, params, span, type_of


class Functions(Calls):
    def __init__(self, tree, kernel):
        self.tree, self.kernel = tree, kernel
        self.env, self.out, self.scopes = {}, [], [{}]
        self.used, self.block, self.unconditional = set(), None, 0
        self.functions, self.shared, self.target, self.mode = {}, None, None, "own"
        self.calls, self.returned = {}, False
        self.reserved = set()
        self.count(kernel, set())

    def count(self, function, seen):
        seen.add(function["id"])
        for n in walk(body(function)):
            if n["kind"] == "CallExpr":
                callee = self.callee(n)
                if callee is not None and body(callee) is not None:
                    self.calls[callee["id"]] = self.calls.get(callee["id"], 0) + 1
                    if callee["id"] not in seen:
                        self.count(callee, seen)
            elif n["kind"] == "SubstNonTypeTemplateParmExpr":
                parameter, value = children(n)
                if parameter.get("name") in BLOCK and int(value.get("value", 0)):
                    self.block = self.block or int(value["value"])

    def callee(self, call):
        ref = strip(children(call)[0])
        if ref["kind"] != "DeclRefExpr":
            return None
        return self.tree.nodes.get(ref["referencedDecl"]["id"], ref["referencedDecl"])

    def read(self, node):
        begin, end = node["range"]["begin"], node["range"]["end"]
        for k in (begin, end):
            if "offset" in k:
                self.used.add(self.tree.where(k["offset"]))

    def emit(self, text):
        self.out.append(Line(text, self.used))
        self.used = set()

    def fresh(self, name):
        """A name is taken by what is visible, and by what the function itself declares later."""
        if self.mode == "inline" and (name in self.reserved or any(name in s for s in self.scopes)):
            raise NotInline
        self.scopes[-1][name] = None
        return name

    def block_of(self, statements, top):
        """`top`: always executed where the function is. Returns what the function returns here."""
        for s in statements:
            result = self.statement(s, top)
            if self.returned:
                return result
        return None

    def braces(self, head, inner, close="}"):
        self.emit(head + " {")
        self.scopes.append({})
        self.block_of(children(inner) if inner["kind"] == "CompoundStmt" else [inner], False)
        self.scopes.pop()
        self.returned = False
        self.emit(close)

    def statement(self, node, top):
        if "range" in node and "offset" in node["range"].get("begin", {}):
            for comment in self.tree.comment_before(span(node)[0]):
                self.out.append(Line(comment))
        handler = getattr(self, "do_" + node["kind"], None)
        if handler is not None:
            return handler(node, top)
        if node["kind"] == "BinaryOperator" and node["opcode"] == "=":
            return self.assignment(node)
        text = self.expr(node).text
        if text:
            self.emit(text + ";")
        return None

    def assignment(self, node):
        left, right = children(node)
        target = self.expr(left)
        self.target = target.text
        value = self.expr(right)
        self.target = None
        if value.text != target.text:
            self.read(node)
            self.emit("%s = %s;" % (target.text, value.text))

    def do_CallExpr(self, node, top):
        if top and self.mode == "own" and not self.out and self.tail_call(node):
            return  # an entry that only calls
        text = self.expr(node).text
        if text:
            self.emit(text + ";")

    def do_NullStmt(self, node, top):
        return None

    def do_CompoundStmt(self, node, top):
        return self.block_of(children(node), top)

    def do_AttributedStmt(self, node, top):
        loop = children(node)[-1]
        above = self.tree.text[:span(loop)[0]].rstrip().rsplit("\n", 1)[-1].strip()
        if above.startswith("#pragma"):
            self.out.append(Line(above))
        return self.statement(loop, top)

    def do_IfStmt(self, node, top):
        condition, then, *other = children(node)
        if node.get("isConstexpr"):
            branch = self.chosen(node)
            return self.statement(branch, top) if branch else None
        test = self.expr(condition)
        if test.value is not None and not test.named:
            branch = then if test.value else other[0] if other else None
            return self.statement(branch, top) if branch else None
        if self.mode == "inline" and any(n["kind"] == "ReturnStmt" for n in walk(node)):
            raise NotInline
        self.braces("if (%s)" % test.text, then)
        if other:
            self.out.pop()
            self.braces("} else", other[0])
        return None

    def do_ForStmt(self, node, top):
        first, _, condition, step, inner = node["inner"]
        self.scopes.append({})
        start = ""
        if first:
            variable = children(first)[0]
            value = self.expr(children(variable)[-1]).text
            name = self.fresh(variable["name"])
            self.env[variable["id"]] = Text(name, simple=True)
            start = declared(plain(type_of(variable)), name, value)
        self.unconditional += 1
        test = self.expr(condition).text if condition else ""
        more = self.expr(step).text if step else ""
        self.unconditional -= 1
        self.braces("for (%s; %s; %s)" % (start, test, more), inner)
        self.scopes.pop()

    def do_DoStmt(self, node, top):
        inner, condition = children(node)
        self.unconditional += 1
        test = self.expr(condition)
        self.unconditional -= 1
        if test.value is not None and not test.value:
            return self.statement(inner, False)
        self.braces("do", inner, "} while (%s);" % test.text)
        return None

    def do_ReturnStmt(self, node, top):
        if self.mode == "inline":
            if not top:
                raise NotInline
            value = self.expr(children(node)[0]) if children(node) else None
            self.returned = True
            return value
        self.returned = True
        if not children(node):
            self.emit("return;")
            return None
        call = strip(children(node)[0])
        self.returned = False
        if call["kind"] in ("CallExpr", "CXXOperatorCallExpr") and self.tail_call(call):
            self.returned = True
            return None
        value = self.expr(children(node)[0])
        self.read(node)
        self.returned = True
        self.emit("return %s;" % value.text)
        return None

    def tail_call(self, call):
        """`return f(...)`, whose returns may become ours."""
        if call["kind"] == "CXXOperatorCallExpr":
            function = self.expr(children(call)[1])
            function = function.method if isinstance(function, Lambda) else None
            args = children(call)[2:]
        else:
            function, args = self.callee(call), children(call)[1:]
        if (function is None or body(function) is None or function["name"] in KEPT or
                self.calls.get(function["id"], 1) != 1 or
                self.expression_of(function) is not None):
            return False
        state = self.saved()
        try:
            mode = self.mode
            self.reserved = self.reserved | variables(function)
            for p, a in zip(params(function), args):
                t = self.expr(a)
                if not (isinstance(t, Lambda) or t.value is not None or
                        (t.simple and not modified(p["id"], function))):
                    raise NotInline
                self.env[p["id"]] = t
            self.mode = "own"
            self.block_of(children(body(function)), top=True)
            self.mode = mode
            return True
        except NotInline:
            self.restore(state)
            return False

    def do_GCCAsmStmt(self, node, top):
        self.read(node)
        self.emit(re.sub(r'" "', "", self.tree.source(node)) + ";")

    def do_DeclStmt(self, node, top):
        for decl in children(node):
            if decl["kind"] == "VarDecl":
                self.variable(decl)
            elif decl["kind"] in ("TypeAliasDecl", "TypedefDecl"):
                LOCAL[decl["name"]] = plain(type_of(decl))

    def variable(self, decl):
        init = [n for n in children(decl) if not n["kind"].endswith("Attr")]
        kind = plain(type_of(decl))
        if "AnnotateAttr" in attributes(decl):
            name = self.fresh(decl["name"])
            self.env[decl["id"]] = Text(name, simple=True)
            self.emit("__shared__ %s;" % declared(kind, name))
            return
        if not init:
            name = self.fresh(decl["name"])
            self.env[decl["id"]] = Text(name, simple=True)
            self.emit("%s;" % declared(kind, name))
            return
        cells = self.shared_cells(init[-1])
        if cells is not None:
            self.shared_array(decl, kind, cells)
            return
        value = self.expr(init[-1])
        frozen = not modified(decl["id"], self.enclosing(decl))
        if value.value is not None and frozen and not value.named:
            self.env[decl["id"]] = self.typed(value, bare(type_of(decl)))
            return
        origin = strip(init[-1])
        same = bare(type_of(decl)) == bare(type_of(origin))
        again = "*" in kind or (origin["kind"] == "DeclRefExpr" and
                                origin["referencedDecl"]["kind"] == "ParmVarDecl")
        if frozen and value.simple and value.value is None and same and again:
            self.env[decl["id"]] = value
            return
        if "cooperative_groups" in kind:
            kind = "const auto"
        same = (kind, value.text)
        if frozen and value.simple and any(s.get(decl["name"]) == same for s in self.scopes):
            self.env[decl["id"]] = Text(decl["name"], simple=True)  # t is threadIdx.x there too
            return
        name = self.fresh(decl["name"])
        self.scopes[-1][name] = same if frozen else None
        self.env[decl["id"]] = Text(name, value=value.value if frozen else None,
                                    named=value.named and frozen, simple=True)
        self.emit("%s;" % declared(kind, name, value.text))

    def typed(self, value, kind):
        if value.simple and not re.fullmatch(r"-?\d+(ull)?", value.text):
            return value
        if isinstance(value.value, float) or kind in ("float", "double"):
            return value
        return literal(wrapped(value.value, kind), kind)

    def enclosing(self, decl):
        """The function whose body holds a declaration."""
        homes = self.tree.homes
        if not homes:
            for f in self.tree.nodes.values():
                if f.get("kind") in ("FunctionDecl", "CXXMethodDecl") and body(f) is not None:
                    for n in walk(body(f)):
                        if n["kind"] == "VarDecl":
                            homes.setdefault(n["id"], f)
        return homes[decl["id"]]

    def shared_cells(self, init):
        """Of a call of shared_array...: the extent, 0 for the dynamic array; None of another."""
        call = strip(init)
        if call["kind"] != "CallExpr":
            return None
        function = self.callee(call)
        if function is None or not function["name"].startswith("shared_array"):
            return None
        for n in walk(function):
            if n["kind"] == "VarDecl" and n["name"] == "s" and "AnnotateAttr" in attributes(n):
                return int(re.search(r"\[(\d+)\]", type_of(n))[1])
        return 0

    def shared_array(self, decl, kind, cells):
        name = self.fresh("s")
        self.env[decl["id"]] = Text(name, simple=True)
        element = re.sub(r"\s*\*\s*(const)?$", "", kind)
        if cells == 0:
            self.emit("extern __shared__ %s %s[];" % (element, name))
            return
        block = self.block = self.block or cells
        extent = ("block_size" if cells == block else
                  "%d * block_size" % (cells // block) if cells % block == 0 else
                  "block_size / %d" % (block // cells))
        self.emit("__shared__ %s %s[%s];" % (element, name, extent))

