// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that have machine code made by ptxas or nvcc when they run, and load it: under
// `gauntlet run` they get PTX (sanitizer/program/tools).
#include <filesystem>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

const std::string sources = GAUNTLET_PROGRAM_SOURCES, programs = GAUNTLET_PROGRAMS;

/// A shell's `command` under gauntlet run, in a folder of its own, with nvcc in PATH.
Ended in_shell(const std::string& command, const std::vector<std::string>& environment = {}) {
  const TemporaryFolder folder;
  const auto path = fs::path(GAUNTLET_NVCC).parent_path().string();
  return run({"run", "--error-exitcode", "5", "--", "/bin/sh", "-c",
              "cd '" + folder.path().string() + "' && PATH=$PATH:" + path + " && " + command},
             environment);
}

std::string load(const std::string& file, const std::string& kernel) {
  return "python3 " + sources + "/load_ptx.py " + file + " " + kernel;
}

/// The kernel that is right, and the one that lacks its barrier, whose lines are known.
template <class F>
void expect_both(const F& ran) {
  const Ended right = ran("add_up");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_EQ(right.out, "4957\n") << right.err;
  const Ended race = ran("add_up_without_barrier");
  EXPECT_EQ(race.code, 5) << race.err;
  EXPECT_NE(race.err.find("driver_kernels.cu:"), std::string::npos) << race.err;
}

const std::string driver_kernels = " " + sources + "/driver_kernels.cu -o made ";

TEST(MachineCode, of_ptxas_is_loaded_as_the_ptx_that_it_was_given) {
  for (const std::string ptxas : {"ptxas", "$TRITON_PTXAS_PATH"}) {
    const auto ran = [&](const std::string& kernel) {
      return in_shell(ptxas + " -lineinfo -v --gpu-name=sm_90a -O 3 " + programs +
                      "/driver_kernels.ptx -o made && " + load("made", kernel));
    };
    expect_both(ran);
  }
}

TEST(Run, without_its_compilers_says_that_it_is_not_whole) {
  const TemporaryFolder folder;
  const fs::path program = folder.path() / "gauntlet", beside = folder.path() / "sanitizer/program";
  fs::copy_file(GAUNTLET_PROGRAM, program);
  fs::create_directories(beside);
  const auto libraries = fs::path(GAUNTLET_PROGRAM).parent_path() / "sanitizer/program";
  for (const auto& entry : fs::directory_iterator(libraries)) {
    if (entry.path().filename().string().find(".so") == std::string::npos) continue;
    fs::create_symlink(entry.path(), beside / entry.path().filename());
  }
  const auto ran = [&] { return run_in_shell("'" + program.string() + "' run -- /bin/true"); };
  const Ended lacking = ran();
  EXPECT_EQ(lacking.code, 2);
  EXPECT_NE(lacking.err.find("tools/ptxas are not beside the program"), std::string::npos)
      << lacking.err;
  fs::create_directory_symlink(libraries / "tools", beside / "tools");
  EXPECT_EQ(ran().code, 0);
}

class MachineCodeOfNvcc : public ::testing::TestWithParam<const char*> {};

TEST_P(MachineCodeOfNvcc, is_ptx) {
  const auto ran = [](const std::string& kernel) {
    return in_shell("nvcc -lineinfo " + std::string(GetParam()) + driver_kernels + "&& " +
                    load("made", kernel));
  };
  expect_both(ran);
}

INSTANTIATE_TEST_SUITE_P(
    As, MachineCodeOfNvcc,
    ::testing::Values(
        "--cubin -arch sm_86", "-cubin -arch=sm_80 -code=sm_80",
        "-cubin -arch compute_80 -code sm_86", "-cubin -gencode arch=compute_80,code=sm_80",
        "-fatbin -gencode=arch=compute_75,code=sm_75 -gencode arch=compute_80,code=[sm_80]"),
    [](const auto& instance) { return std::to_string(instance.index); });

/// Looked for by its path, as NVIDIA's Python packages do.
const std::string library = std::string(GAUNTLET_TOOLKIT_LIBRARIES) + "/libnvJitLink.so.13";

class MachineCodeOfNvJitLink : public ::testing::TestWithParam<const char*> {};

TEST_P(MachineCodeOfNvJitLink, is_ptx) {
  if (!fs::exists(library)) {
    GTEST_SKIP() << "the toolkit has no libnvJitLink";
  }
  const auto ran = [](const std::string& kernel) {
    return in_shell("nvcc -arch=sm_80 -dlto -ltoir -lineinfo " + sources +
                    "/driver_kernels.cu -o lto && cp " + programs +
                    "/driver_kernels.* . && python3 " + sources + "/jit_link.py " + library +
                    " made " + GetParam() + " && " + load("made", kernel));
  };
  expect_both(ran);
}

INSTANTIATE_TEST_SUITE_P(Of, MachineCodeOfNvJitLink,
                         ::testing::Values("ptx driver_kernels.ptx", "any driver_kernels.fatbin",
                                           "lto lto", "any lto"),
                         [](const auto& instance) { return std::to_string(instance.index); });

TEST(MachineCode, that_nvjitlink_cannot_make_is_an_error_with_a_log) {
  const auto linked = [](const std::string& words) {
    return in_shell("cp " + programs + "/driver_kernels.* . && python3 " + sources +
                    "/jit_link.py " + library + " made " + words);
  };
  const Ended no_lto = linked("lto driver_kernels.ptx");
  EXPECT_EQ(no_lto.code, 1);
  EXPECT_NE(no_lto.err.find("result 1"), std::string::npos) << no_lto.err;
  const Ended twice = linked("ptx driver_kernels.ptx driver_kernels.ptx");
  EXPECT_EQ(twice.code, 1);
  EXPECT_NE(twice.err.find("scale is defined in two linked units"), std::string::npos) << twice.err;
}

TEST(MachineCode, errors_of_the_compilers_stay_theirs) {
  EXPECT_EQ(in_shell("ptxas absent.ptx -o made").code, 255);
  EXPECT_EQ(in_shell("ptxas -o made").code, 255);
  EXPECT_EQ(in_shell("ptxas " + programs + "/driver_kernels.ptx -o absent/made").code, 255);
  const Ended wrong = in_shell("echo nonsense > a.cu; nvcc --cubin a.cu -o made");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.err.find("a.cu(1): error"), std::string::npos) << wrong.err;
  const Ended text = in_shell("echo nonsense > a.ptx; ptxas a.ptx -o made && " + load("made", "k"));
  EXPECT_NE(text.code, 0);
  EXPECT_NE(text.err.find("CUDA_ERROR_INVALID_PTX"), std::string::npos) << text.err;
}

TEST(MachineCode, what_is_compiled_from_source_is_what_the_real_nvcc_compiles) {
  const Ended ran = in_shell("nvcc -lineinfo -gencode arch=compute_80,code=sm_80 " + sources +
                             "/tiny.cu -o tiny && ./tiny");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("gauntlet run: clean"), std::string::npos) << ran.err;
}

/// As an extension of PyTorch is built where TORCH_CUDA_ARCH_LIST names machine code.
TEST(MachineCode, is_ptx_too_where_pytorch_calls_the_compiler_by_its_own_name) {
  const Ended ran = in_shell(
      "$PYTORCH_NVCC -gencode=arch=compute_90,code=sm_90 "
      "-gencode=arch=compute_90,code=compute_90 " +
          sources + "/tiny.cu -o tiny && ./tiny",
      {"TORCH_CUDA_ARCH_LIST=9.0"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.err.find("gauntlet run: clean (1 kernel"), std::string::npos) << ran.err;
  const Ended own = in_shell("echo $PYTORCH_NVCC", {"PYTORCH_NVCC=mine"});
  EXPECT_EQ(own.out, "mine\n");
}

/// Who keeps what ptxas made keeps it by this.
TEST(MachineCode, the_version_of_ptxas_is_the_real_ones_and_not_the_same) {
  const Ended ran = in_shell("ptxas --version");
  EXPECT_EQ(ran.code, 5) << "no kernel was launched";
  EXPECT_NE(ran.out.find("release 13."), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("gauntlet"), std::string::npos) << ran.out;
}

TEST(Environment, helps_where_nothing_is_set_and_is_told_to_who_starts_python) {
  const std::string told =
      "gauntlet run: with PYTORCH_NO_CUDA_MEMORY_CACHING=1 TORCH_CUDA_ARCH_LIST=9.0+PTX "
      "CUPY_COMPILE_WITH_PTX=1 "
      "CUPY_ACCELERATORS= CUDA_VISIBLE_DEVICES=0 and ptxas and nvcc in PATH that give PTX\n";
  const std::string print =
      "import os; print(os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'], "
      "os.environ['CUPY_COMPILE_WITH_PTX'], os.environ['CUPY_ACCELERATORS'] == '')";
  const Ended python = run({"run", "--", "python3", "-c", print});
  EXPECT_EQ(python.out, "1 1 True\n");
  EXPECT_EQ(unwrapped(python.err).find(unwrapped(told)), 0U) << python.err;
  const Ended own =
      run({"run", "--", "python3", "-c", print},
          {"PYTORCH_NO_CUDA_MEMORY_CACHING=0", "TORCH_CUDA_ARCH_LIST=8.0", "CUPY_ACCELERATORS="});
  EXPECT_EQ(own.out, "0 1 True\n");
  EXPECT_EQ(unwrapped(own.err).find(
                "gauntlet run: with CUPY_COMPILE_WITH_PTX=1 CUDA_VISIBLE_DEVICES=0 and ptxas"),
            0U)
      << own.err;
  const Ended other = run({"run", "--", "/bin/sh", "-c", "echo $CUPY_COMPILE_WITH_PTX"});
  EXPECT_EQ(other.out, "1\n");
  EXPECT_EQ(other.err.find("CUPY"), std::string::npos) << other.err;
}

/// Libraries that count the machine's GPUs by NVML find as many as the runtime has.
TEST(Environment, shows_the_program_one_device_unless_all_are_hidden) {
  const std::pair<const char*, const char*> cases[] = {
      {"0,1", "0\n"}, {"GPU-1234", "0\n"}, {"", "\n"}, {"-1", "-1\n"}};
  for (const auto& [set, seen] : cases) {
    const Ended ran =
        in_shell("echo $CUDA_VISIBLE_DEVICES", {fmt::format("CUDA_VISIBLE_DEVICES={}", set)});
    EXPECT_EQ(ran.out, seen) << set;
  }
}

TEST(Environment, the_toolkit_is_not_taken_for_where_our_nvcc_is) {
  const auto path = fs::path(GAUNTLET_NVCC).parent_path();
  const Ended ran = run({"run", "--", "/bin/sh", "-c", "echo $CUDA_HOME"},
                        {"PATH=" + path.string() + ":/usr/bin:/bin"});
  if (std::getenv("CUDA_HOME") == nullptr && std::getenv("CUDA_PATH") == nullptr) {
    EXPECT_EQ(ran.out, path.parent_path().string() + "\n");
  } else {
    EXPECT_EQ(ran.out.find("gauntlet"), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace gauntlet::test
