# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
"""check, repro and prove of specs, with the spec's kernel and with one of Python."""
import numpy as np
import pytest

import gauntlet
from gauntlet import _compilers

needs_nvcc = pytest.mark.skipif(_compilers.nvcc() is None, reason="there is no nvcc")
SPEC = """
in      x:f32[n]
out     y:f32[blocks]
arg     n:u32 = n
launch  grid=max(1, ceil(n / block)) block=32..256
require block % 32 == 0
result  y[b] = sum(x[b * block .. (b + 1) * block])
"""
KERNEL = """
__global__ void block_sum(const float* x, float* y, unsigned n) {
  __shared__ float warps[32];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  BARRIER
  for (unsigned w = 1; w < blockDim.x / 32 && threadIdx.x == 0; ++w) v += warps[w];
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}
"""
RIGHT, RACY = KERNEL.replace("BARRIER", "__syncthreads();"), KERNEL.replace("BARRIER", "")


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block_sum.gauntlet").write_text(SPEC)
    return "block_sum.gauntlet"


@needs_nvcc
def test_a_racy_kernel_is_shrunk_to_a_case_that_replays(spec, tmp_path):
    found = gauntlet.check(spec, kernel=RACY)
    assert not found.holds and found.cases == 200
    assert found.kinds() == ["poison_output", "race_write_read"], str(found)
    assert {one.case for one in found} == {"block_sum.gauntlet n=0 block=64"}
    race = next(one for one in found if one.kind == "race_write_read")
    assert race.array == "warps" and race.at.source.strip().startswith("for (unsigned w = 1")
    assert "  case 'block_sum.gauntlet n=0 block=64'" in str(race)
    assert '  gauntlet.repro("block_sum.gauntlet n=0 block=64", kernel=...)\n' in found.text + "\n"
    assert (tmp_path / "block_sum.cases").is_file()
    assert gauntlet.repro(race.case, kernel=RACY).kinds() == found.kinds()
    assert gauntlet.repro(race.case, kernel=RIGHT).clean
    with pytest.raises(gauntlet.GauntletFindings, match="race_write_read"):
        gauntlet.check(spec, kernel=RACY, cases=20, assert_holds=True)


@needs_nvcc
def test_a_right_kernel_holds_and_is_proved(spec, tmp_path):
    found = gauntlet.check(spec, kernel=RIGHT, cases=50, assert_holds=True)
    assert found == [] and found.holds and found.cases == 50 and not (tmp_path / "block_sum.cases").exists()
    proof = gauntlet.prove(spec, kernel=RIGHT, cases=10)
    assert proof.holds and proof.proved == proof.cases == 10, proof.text
    assert not gauntlet.prove(spec, kernel=RACY, cases=10).holds


@needs_nvcc
def test_a_spec_with_its_own_kernel(spec, tmp_path):
    (tmp_path / "right.cu").write_text(RIGHT)
    (tmp_path / spec).write_text("kernel right.cu\n" + SPEC)
    assert gauntlet.check(tmp_path / spec, cases=20).holds
    assert not gauntlet.check(spec, kernel=RACY, keep_cases=False).holds and not (tmp_path / "block_sum.cases").exists()


@needs_nvcc
def test_a_wrong_sum_is_found(spec):
    found = gauntlet.check(spec, kernel=RIGHT.replace("v += warps[w]", "v += 2 * warps[w]"), keep_cases=False)
    assert found.kinds() == ["wrong_result"] and not found.holds, str(found)


def test_what_cannot_be_checked_is_told(spec, tmp_path):
    (tmp_path / "two.gauntlet").write_text(SPEC + "launch grid=1 block=1\n")
    (tmp_path / "typed.gauntlet").write_text(SPEC.replace("f32", "T"))
    for given, words in [(("no.gauntlet",), "no.gauntlet: No such file"), (("two.gauntlet", RIGHT), "needs one launch, and this one has 2"),
                         (("typed.gauntlet", RIGHT), "such as f32, not T"), ((spec, print), "kernel= cannot be builtin"),
                         ((spec,), "kernel")]:
        with pytest.raises(gauntlet.GauntletError, match=words):
            gauntlet.check(*given)
    with pytest.raises(gauntlet.GauntletError, match="archs is no option"):
        gauntlet.check(spec, RIGHT, archs=80)
    with pytest.raises(gauntlet.GauntletError, match="arch is for kernel="):
        gauntlet.check(spec, arch=80)


@needs_nvcc
def test_a_slip_is_told_at_the_line_of_the_user_s_own_spec(spec, tmp_path):
    (tmp_path / spec).write_text("# of blocks" + SPEC.replace("require", "\nrequir"))
    with pytest.raises(gauntlet.GauntletError, match=r"^block_sum.gauntlet:7: `requir block % 32 == 0`"):
        gauntlet.check(spec, kernel=RIGHT)
    with pytest.raises(gauntlet.GauntletError, match="^block_sum.gauntlet: unknown size `m`"):
        (tmp_path / spec).write_text(SPEC)
        gauntlet.repro("block_sum.gauntlet m=3 n=3 block=32", kernel=RIGHT)


def test_hypothesis_draws_sizes_that_the_contract_accepts(tmp_path):
    hypothesis = pytest.importorskip("hypothesis", reason="python3-hypothesis is not installed")
    strategies = gauntlet.strategies
    path = tmp_path / "sizes.gauntlet"
    path.write_text("kernel a.cu\nsize k = 1,2,5\nsize m = 0..9\nlet parts = ceil(n / 4)\nin x:f32[n, k]\n"
                    "launch grid=parts block=32..128\nrequire block % 32 == 0 && (k != 2 || m > 3)\nrequire !(parts > 100)\n")
    drawn = []

    @hypothesis.settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(strategies.sizes(path))
    def draw(sizes):
        drawn.append(sizes)

    draw()
    assert {tuple(sorted(one)) for one in drawn} == {("block", "k", "m", "n")}
    assert {one["k"] for one in drawn} == {1, 2, 5} and {one["block"] for one in drawn} <= {32, 64, 96, 128}
    assert all((one["k"] != 2 or one["m"] > 3) and one["n"] <= 400 and 0 <= one["m"] <= 9 for one in drawn)
    assert hypothesis.find(strategies.sizes(path), lambda one: one["n"] > 7)["n"] == 8
    path.write_text("size k = f(2)\n")
    with pytest.raises(gauntlet.GauntletError, match=r"size ... = f\(2\): write FIRST..LAST"):
        strategies.sizes(path)
    path.write_text("size k = 1..9\nrequire k > 2 ? k : 1\n")
    with pytest.raises(gauntlet.GauntletError, match="cannot be read here"):
        strategies.sizes(path)


@needs_nvcc
def test_a_drawn_size_runs(spec):
    hypothesis = pytest.importorskip("hypothesis", reason="python3-hypothesis is not installed")
    from gauntlet import strategies

    @hypothesis.settings(max_examples=10, deadline=None, database=None)
    @hypothesis.given(strategies.sizes(spec))
    def the_sum_is_right(sizes):
        n, block = sizes["n"], sizes["block"]
        grid = max(1, -(-n // block))
        x, y = np.arange(n, dtype=np.float32) % 7, np.zeros(grid, np.float32)
        assert gauntlet.sanitize(RIGHT, grid, block, x, y, n).clean
        assert y.tolist() == [x[b * block:(b + 1) * block].sum() for b in range(grid)]

    the_sum_is_right()


@needs_nvcc
def test_what_a_spec_names_beside_it_is_found(spec, tmp_path):
    (tmp_path / "reference.py").write_text(
        "#!/usr/bin/env python3\nimport array, sys\nsizes = dict(word.split('=') for word in sys.argv[1:])\n"
        "x = array.array('i', sys.stdin.buffer.read())\narray.array('i', [2 * v for v in x]).tofile(sys.stdout.buffer)\n")
    (tmp_path / "reference.py").chmod(0o755)
    (tmp_path / "twice.gauntlet").write_text("in x:i32[n]\nout y:i32[n]\narg n:u32 = n\nlaunch grid=max(1, ceil(n / 32)) block=32\n"
                                             "data small_integers\nresult by ./reference.py\n")
    twice = "__global__ void twice(const int* x, int* y, unsigned n) { int i = blockIdx.x * 32 + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }"
    assert gauntlet.check("twice.gauntlet", kernel=twice, cases=10, assert_holds=True).cases == 10
    assert gauntlet.check("twice.gauntlet", kernel=twice.replace("2 *", "3 *"), cases=10).kinds() == ["wrong_result"]
