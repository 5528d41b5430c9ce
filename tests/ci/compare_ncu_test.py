#!/usr/bin/env python3
# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""compare_ncu_test.py PROJECT GAUNTLET: what ci/compare-ncu takes for equal, for explained, and for a difference."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

project, gauntlet = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("compare_ncu", str(project / "ci/compare-ncu"))
ncu = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_ncu", loader))
loader.exec_module(ncu)

HEAD = '==PROF== Connected to process 7\n"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
REQUESTS = "smsp__inst_executed_op_shared_ld_pred_on_any.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
BYTES = "smsp__sass_data_bytes_mem_shared_op_ld.sum"
BY_ADDRESS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


def counted():
    both = {"requests": 0, "sectors": 0}
    shared = {"requests": 0, "bytes": 0, "wavefronts": 0, "conflicts": 0}
    return {"warp_instructions": 100, "thread_instructions": 3000, "global_load": {"requests": 8, "sectors": 32},
            "global_store": both, "global_atomic": both, "shared_store": shared, "shared_atomic": shared,
            "shared_load": {"requests": 10, "bytes": 640, "wavefronts": 12, "conflicts": 2}}


def metrics(**changes):
    """What a GPU that agrees would say, but for these."""
    said = {}
    for counter, parts in (ncu.INSTRUCTIONS | ncu.COUNTERS).items():
        group, _, field = counter.partition(".")
        said |= {part: 0 for part in parts}
        said[parts[0]] = counted()[group][field] if field else counted()[group]
    return said | changes


def rules(changes, entry="kernel"):
    return ncu.compare("case", 0, entry, metrics(**changes), counted())["rules"]


class Issue(unittest.TestCase):
    """What ci/gpu-issue records: one launch of each case."""

    def counts(self, left_out=""):
        parts = [metric.format(op) for metric in ncu.ISSUE.values() for op in ("ld", "st")]
        rows = [f'"0","k","{metric}","","1,00{k}"' for k, metric in enumerate(parts) if metric != left_out]
        self.folder = tempfile.TemporaryDirectory()
        counts, cases = (pathlib.Path(self.folder.name) / name for name in ("counts.csv", "cases.txt"))
        counts.write_text(HEAD + "\n".join(rows) + "\n")
        return counts, cases

    def test_loads_and_stores_are_added_up(self):
        counts, cases = self.counts()
        cases.write_text("==PROF== Profiling\n1\tA CASE\n")
        self.assertEqual(ncu.issue(counts, cases, "a GPU"), {"source": "a GPU", "launches": [
            {"case": "A CASE", "requests": 2001, "conflicts": 2005, "wavefronts": 2009, "of_addresses": 2013}]})

    def test_what_lacks_launches_or_metrics_is_refused(self):
        counts, cases = self.counts()
        cases.write_text("1\tA CASE\n1\tANOTHER\n")
        with self.assertRaisesRegex(ncu.BadRecording, "1 launches instead of 2; record it with ci/gpu-issue"):
            ncu.issue(counts, cases, "")
        counts, cases = self.counts(left_out=REQUESTS)
        cases.write_text("1\tA CASE\n")
        with self.assertRaisesRegex(ncu.BadRecording, f"A CASE has no {REQUESTS}"):
            ncu.issue(counts, cases, "")


class Rules(unittest.TestCase):
    def test_equal_counters_are_no_difference(self):
        self.assertEqual(rules({}), {})

    def test_every_counter_is_compared(self):
        self.assertEqual(len(ncu.COUNTERS), 15)
        for counter, parts in ncu.COUNTERS.items():
            for part in parts:
                self.assertEqual(rules({part: metrics()[part] + 1}), {counter: "unexplained"})

    def test_fewer_requests_for_the_same_bytes_are_merged(self):
        for seen, rule in (({}, "unexplained"), ({BYTES: 640}, "merged"), ({BYTES: 639}, "unexplained")):
            self.assertEqual(rules({REQUESTS: 7} | seen), {"shared_load.requests": rule})

    def test_a_hoisted_load_reads_at_most_a_warp_of_words_more(self):
        for more, rule in ((128, "hoisted"), (129, "unexplained")):
            self.assertEqual(rules({REQUESTS: 9, BYTES: 640 + more}), {"shared_load.requests": rule})

    def test_extra_passes_need_the_count_from_the_addresses(self):
        for seen, rule in (({}, "unexplained"), ({BY_ADDRESS: 12}, "extra passes"), ({BY_ADDRESS: 13}, "unexplained")):
            self.assertEqual(rules({WAVEFRONTS: 13} | seen), {"shared_load.wavefronts": rule})

    def test_a_loop_is_of_the_atomic_that_no_instruction_does(self):
        for entry, rule in (("atomic_add_u64", "loop"), ("atomic_add_u32", "unexplained")):
            self.assertEqual(rules({WAVEFRONTS: 13}, entry), {"shared_load.wavefronts": rule})

    def test_instructions_outside_the_margin_are_seen(self):
        for warps, outside in ((275, 0), (276, 1), (50, 0), (49, 1)):
            launch = ncu.compare("case", 0, "kernel", metrics(**{"smsp__inst_executed.sum": warps}), counted())
            self.assertEqual(len(list(ncu.unexplained([launch]))), outside, warps)

    def test_a_metric_that_is_missing_is_named(self):
        said = metrics()
        del said["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
        with self.assertRaisesRegex(ncu.BadRecording, "t_sectors_pipe_lsu_mem_global_op_ld"):
            ncu.compare("case", 0, "kernel", said, counted())


class Csv(unittest.TestCase):
    def test_rows_become_launches(self):
        text = HEAD + ('"0","f","a.sum","inst","1,234"\n"0","f","b.sum","","n/a"\n'
                       '"1","f(int, ""x"")","a.sum","","5"\n')
        self.assertEqual(ncu.parse(text.splitlines(), "x.csv"), [("f", {"a.sum": 1234}), ('f(int, "x")', {"a.sum": 5})])

    def test_what_is_no_recording_is_refused(self):
        for text in ("", HEAD, '"ID","Metric Name"\n', HEAD + '"0","f"\n'):
            with self.assertRaises(ncu.BadRecording):
                ncu.parse(text.splitlines(), "x.csv")


class Recording(unittest.TestCase):
    """Of one micro-case: one request for the pattern, one to read the index; four stores fill 128 words."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "facts.txt").write_text("device=D\ndriver=1\nncu=2\ndate=2026-01-01\n")
        (self.folder / "part.txt").write_text("1\tbanks:load_b32 stride=4\n")

    def compare(self, wavefronts, *options):
        values = {"warp_instructions": 60, "thread_instructions": 1900, "global_load.requests": 1,
                  "global_store.requests": 1, "global_load.sectors": 4, "global_store.sectors": 4,
                  "shared_load.requests": 1, "shared_load.wavefronts": wavefronts, "shared_load.conflicts": 3,
                  "shared_store.requests": 4, "shared_store.wavefronts": 4}
        rows = "".join(f'"0","load_b32","{part}","","{values.get(counter, 0) if k == 0 else 0}"\n'
                       for counter, parts in (ncu.INSTRUCTIONS | ncu.COUNTERS).items() for k, part in enumerate(parts))
        (self.folder / "part.csv").write_text(HEAD + rows)
        sys.argv = ["compare-ncu", str(self.folder), "--program", gauntlet, *map(str, options)]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = ncu.main()
        return code, out.getvalue(), err.getvalue()

    def test_is_compared_with_the_machine_now(self):
        page, result = self.folder / "page.md", self.folder / "result.json"
        code, out, _ = self.compare(4, "--write", page, "--json", result)
        self.assertEqual(code, 0, out)
        self.assertNotIn("Unexplained:", page.read_text())
        found = json.loads(result.read_text())
        self.assertEqual((found["device"], found["launches"], found["counters"]), ("D", 1, 15))
        code, out, _ = self.compare(5, "--write", page, "--json", result)
        self.assertEqual(code, 1, out)
        self.assertIn("shared_load.wavefronts is 4 on the machine and 5 on the GPU", page.read_text())
        self.assertEqual(json.loads(result.read_text())["differences"]["unexplained"], 1)

    def test_that_is_none_is_refused_in_one_line(self):
        with (self.folder / "part.txt").open("a") as part:
            part.write("1\tbanks:load_b32 stride=5\n")
        for missing in ("part.csv", "facts.txt"):  # the first is written anew, and too short
            code, out, err = self.compare(4)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
            (self.folder / missing).unlink()

    def test_of_the_micro_kernels_is_what_the_machine_still_counts(self):
        newest = max(project.glob("docs/results/*/ncu.json"))
        kept = json.loads(newest.read_text())
        self.assertEqual((kept["differences"]["unexplained"], kept["outside_margin"]), (0, 0))
        recorded = {row["case"]: dict(zip(kept["columns"].split(), row["values"].split())) for row in kept["rows"]}
        micro = {name: launches for name, launches in ncu.counted_here(gauntlet).items()
                 if name.startswith(("banks:", "coalescing:"))}
        self.assertGreater(len(micro), 500)
        for name, (launch,) in micro.items():
            self.assertIn(name, recorded, "record again with ci/gpu-ncu")
            for counter in ncu.COUNTERS:  # instructions: another compiler may choose others
                group, field = counter.split(".")
                self.assertEqual(int(recorded[name][counter].split("/")[0]), launch[group][field], (name, counter))


unittest.main(argv=sys.argv[:1])
