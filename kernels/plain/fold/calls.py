# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""Calls: a helper that is one expression takes the place of its call, one that is called once becomes
part of its caller, one that is called more often, or leaves from several places, stays a function."""

import re
from dataclasses import dataclass, field

from expressions import UNARY, Expressions, Text, Unknown, bare, declared, plain, strip
from tree import body, children, params, span, type_of

#: Named for what they give: they stay functions.
KEPT = {"lanes_of_warp", "mask_of_lanes", "first_step", "step_stays_inside"}


class NotInline(Exception):
    """The function cannot become a part of its caller."""


@dataclass
class Line:
    text: str
    origins: set = field(default_factory=set)


@dataclass
class Lambda:
    method: dict
    text: str = "lambda"
    value = None
    simple = True


def walk(node):
    todo = [node]
    while todo:
        n = todo.pop()
        yield n
        todo.extend(children(n))


def modified(identity, function):
    """Whether a variable is assigned, or its address or a reference to it taken."""
    found = function.get("modified")
    if found is None:
        found = function["modified"] = set()
        for n in walk(function):
            targets = []
            if n["kind"] == "CompoundAssignOperator" or (
                    n["kind"] == "BinaryOperator" and n["opcode"] == "="):
                targets = [children(n)[0]]
            elif n["kind"] == "UnaryOperator" and n["opcode"] in ("++", "--", "&"):
                targets = [children(n)[0]]
            elif n["kind"] == "GCCAsmStmt":
                targets = children(n)
            for t in map(strip, targets):
                if t["kind"] == "DeclRefExpr":
                    found.add(t["referencedDecl"]["id"])
    return identity in found


def variables(function):
    return {n["name"] for n in walk(body(function)) if n["kind"] == "VarDecl"}


def uses(identity, node):
    return sum(n["kind"] == "DeclRefExpr" and n["referencedDecl"]["id"] == identity
               for n in walk(node))


class Calls(Expressions):
    """Needs of its heir the statements: block_of, emit, fresh, saved and restore."""

    def on_CallExpr(self, node):
        callee = self.callee(node)
        args = [a for a in children(node)[1:] if a["kind"] != "CXXDefaultArgExpr"]
        if callee is None:
            raise Unknown("call in %s" % self.tree.path)
        if body(callee) is None:
            return self.builtin(callee["name"], args)
        if callee["name"] == "combine" and bare(type_of(node)) in ("int", "unsigned"):
            owner = self.tree.source(callee)
            op = "*" if "*" in owner else "+" if "+" in owner else None
            if op:  # two's complement either way
                a, b = map(self.expr, args)
                return self.joined(op, a, b, *args)
        return self.project(callee, args)

    def builtin(self, name, args):
        texts = [self.expr(a).text for a in args]
        texts = [t + "ull" if t.isdigit() and bare(type_of(a)) == "unsigned long long" else t
                 for t, a in zip(texts, args)]
        if name in ("tiled_partition", "this_thread_block"):
            name = "cooperative_groups::" + name
        if name.endswith("tiled_partition"):
            name += "<32>"
        if name == "memcpy":
            texts[0], texts[1] = (re.sub(r"static_cast<(const )?void \*>\((.*)\)", r"\2", t)
                                  for t in texts[:2])
        return Text("%s(%s)" % (name, ", ".join(texts)), 1)

    def on_CXXMemberCallExpr(self, node):
        member, *args = children(node)
        return Text("%s(%s)" % (self.expr(member).text,
                                ", ".join(self.expr(a).text for a in args)), 1)

    def on_CXXOperatorCallExpr(self, node):
        operator, target, *args = children(node)
        function = self.expr(target)
        if strip(operator)["referencedDecl"]["name"] == "operator=":
            return Text("%s = %s" % (function.text, self.expr(args[0]).within(16)), 16)
        if not isinstance(function, Lambda):
            raise Unknown("operator in %s" % self.tree.path)
        return self.project(function.method, args)

    def on_LambdaExpr(self, node):
        for n in walk(node):
            if n["kind"] == "CXXMethodDecl" and n.get("name") == "operator()":
                return Lambda(n)
        raise Unknown("lambda")

    def project(self, function, args):
        texts = [self.expr(a) for a in args]
        expression = self.expression_of(function)
        name = function["name"]
        if expression is not None and not (name in KEPT and any(
                t.value is None or t.named for t in texts)):
            inlined = self.substituted(function, expression, texts)
            if inlined is not None:
                return inlined
        once = self.calls.get(function["id"], 1) == 1
        if once and self.unconditional == 0 and name not in KEPT:
            state = self.saved()
            try:
                return self.inlined(function, args, texts)
            except NotInline:
                self.restore(state)
        return self.call_of(function, args, texts)

    def saved(self):
        return (dict(self.env), list(self.out), [dict(s) for s in self.scopes], set(self.used),
                dict(self.functions), self.mode, self.target, self.unconditional, self.returned,
                set(self.reserved))

    def restore(self, state):
        (self.env, self.out, self.scopes, self.used, self.functions, self.mode, self.target,
         self.unconditional, self.returned, self.reserved) = state

    def expression_of(self, function):
        """The e of a body that is `return e;` once folded."""
        rest = children(body(function))
        while rest:
            head, *rest = rest
            if head["kind"] == "DeclStmt" and all(
                    d["kind"] in ("StaticAssertDecl", "TypeAliasDecl", "TypedefDecl",
                                  "UsingDirectiveDecl") or d.get("constexpr")
                    for d in children(head)):
                continue
            if head["kind"] == "IfStmt" and head.get("isConstexpr"):
                branch = self.chosen(head)
                rest = (children(branch) if branch and branch["kind"] == "CompoundStmt"
                        else [branch] if branch else []) + rest
                continue
            if head["kind"] == "CallExpr" and not rest:
                return head
            return children(head)[0] if head["kind"] == "ReturnStmt" and children(head) else None
        return None

    def chosen(self, statement):
        """Of a condition that is known; raises Unknown else."""
        condition, then, *other = children(statement)
        value = condition.get("value")
        known = value == "true" if value in ("true", "false") else self.expr(condition).value
        if known is None:
            raise Unknown("if constexpr in %s" % self.tree.path)
        return then if known else other[0] if other else None

    def substituted(self, function, expression, texts):
        """None where an argument would be evaluated twice, or the expression is long."""
        state = dict(self.env)
        for p, t in zip(params(function), texts):
            count = uses(p["id"], expression)
            if isinstance(t, Lambda):
                self.env[p["id"]] = t
            elif t.simple or t.value is not None or count <= 1:
                self.env[p["id"]] = t
            elif t.prec in (UNARY, 5, 6, 7) and "[" not in t.text and "(" not in t.text:
                self.env[p["id"]] = t
            else:
                self.env = state
                return None
        constants = [d for s in children(body(function)) if s["kind"] == "DeclStmt"
                     for d in children(s) if d.get("constexpr")]
        for d in constants:
            self.env[d["id"]] = self.constant(d)
        used = set(self.used)
        try:
            result = self.expr(expression)
        except NotInline:
            return None
        finally:
            self.env = state
        if result.value is None and " ? " in result.text and function["name"] in KEPT:
            self.used = used
            return None
        return result

    def inlined(self, function, args, texts):
        """The callee's statements here; what it returns as a value."""
        target, self.target = self.target, None
        mode, self.mode = self.mode, "inline"
        for p, t, a in zip(params(function), texts, args):
            changed = modified(p["id"], function)
            if isinstance(t, Lambda) or (not changed and (t.simple or t.value is not None)):
                self.env[p["id"]] = t
            elif changed and t.text == target and target is not None:
                self.env[p["id"]] = t
            elif changed and target is not None and target.isidentifier() and not any(
                    re.search(r"\b%s\b" % target, o.text) for o in texts):
                self.emit("%s = %s;" % (target, t.text))
                self.env[p["id"]] = Text(target, simple=True)
            elif "_cast<" in t.text and "*" in plain(type_of(p)):
                raise NotInline
            elif "&" in type_of(p) and t.simple:
                self.env[p["id"]] = t
            else:
                name = self.fresh(p["name"])
                constant = "" if changed or "*" in type_of(p) else "const "
                self.emit("%s%s;" % (constant, declared(plain(re.sub("^const ", "", type_of(p))), name,
                                                        t.text)))
                self.env[p["id"]] = Text(name, simple=True)
        result = self.block_of(children(body(function)), top=True)
        self.mode, self.returned = mode, False
        return result if result is not None else Text("")

    def call_of(self, function, args, texts):
        if any(isinstance(t, Lambda) for t in texts):
            raise NotInline
        if function["id"] not in self.functions:
            self.functions[function["id"]] = None  # its callees come first
            self.functions[function["id"]] = self.own_function(function)
            self.functions = {**{k: v for k, v in self.functions.items()
                                 if k != function["id"]},
                              function["id"]: self.functions[function["id"]]}
        return Text("%s(%s)" % (self.functions[function["id"]][0],
                                ", ".join(t.text for t in texts)), 1)

    def own_function(self, function):
        outer = (self.env, self.out, self.scopes, self.used, self.mode, self.target,
                 self.unconditional, self.reserved)
        self.reserved = variables(function)
        self.env, self.out, self.scopes, self.used = {}, [], [{}], set()
        self.mode, self.target, self.unconditional = "own", None, 0
        names = []
        for p in params(function):
            self.scopes[-1][p["name"]] = None
            self.env[p["id"]] = Text(p["name"], simple=True)
            names.append(declared(plain(type_of(p)), p["name"]))
        result = plain(type_of(function)[:type_of(function).index("(")])
        begin = self.template_begin(function)
        comment = self.tree.comment_before(begin)
        folded = set(re.findall(r"\w+", self.tree.text[begin:span(function)[0]]))
        if folded & {w for c in comment for w in re.findall(r"\w+", c)}:
            comment = []  # it speaks of what is no longer there
        self.out = [Line(c) for c in comment]
        self.emit("__device__ %s %s(%s) {" % (result, function["name"], ", ".join(names)))
        self.block_of(children(body(function)), top=True)
        self.emit("}")
        lines, self.returned = self.out, False
        (self.env, self.out, self.scopes, self.used, self.mode, self.target,
         self.unconditional, self.reserved) = outer
        return function["name"], lines

    def template_begin(self, function):
        begin = span(function)[0]
        at = self.tree.text.rfind("template <", 0, begin)
        between = self.tree.text[at:begin]
        return at if at >= 0 and ";" not in between and "}" not in between else begin
