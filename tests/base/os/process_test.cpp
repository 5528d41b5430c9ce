// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/os/process.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdlib>
#include <system_error>

#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"

namespace gauntlet::os {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(Process, says_how_it_ended) {
  EXPECT_EQ(Process({.argv = shell("exit 7")}).wait().text(), "exit code 7");
  Process killed({.argv = shell("kill -9 $$")});
  const ProcessEnd end = killed.wait();
  EXPECT_EQ(end.text(), "signal 9 (Killed)");
  EXPECT_EQ(end.code(), 137);
}

TEST(Process, is_looked_up_in_the_path_and_refused_where_it_is_not_there) {
  EXPECT_EQ(Process({.argv = {"true"}}).wait().code(), 0);
  EXPECT_THROW(Process({.argv = {"/nonexistent/tool"}}), std::system_error);
  EXPECT_THROW(Process({.argv = {"/nonexistent/tool"}, .socket = true}), std::system_error);
}

TEST(Process, gets_signals_that_its_parent_blocks) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(Process({.argv = shell("kill -TERM $$; exit 7")}).wait().code(), 128 + SIGTERM);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Process, reads_and_writes_files) {
  const TemporaryFolder folder;
  const auto out = (folder.path() / "out").string(), err = (folder.path() / "err").string();
  Process writes({.argv = shell("echo out; echo err >&2"), .out = out, .err = err});
  EXPECT_EQ(writes.wait().code(), 0);
  EXPECT_EQ(read_file(out), "out\n");
  EXPECT_EQ(read_file(err), "err\n");
  Process joins({.argv = shell("cat; echo err >&2"), .in = out, .err = err, .out_to_err = true});
  EXPECT_EQ(joins.wait().code(), 0);
  EXPECT_EQ(read_file(err), "out\nerr\n");
}

TEST(Process, has_the_variables_that_it_is_given_in_place_of_inherited_ones) {
  setenv("GAUNTLET_OS_TEST", "inherited", 1);
  setenv("GAUNTLET_OS_TEST_2", "kept", 1);
  Process process({.argv = shell("test \"$GAUNTLET_OS_TEST $GAUNTLET_OS_TEST_2\" = 'given kept'"),
                   .environment = {"GAUNTLET_OS_TEST=given"}});
  EXPECT_EQ(process.wait().code(), 0);
}

TEST(Process, has_a_socket_on_its_descriptor_3) {
  Process process({.argv = shell("read word <&3; echo $word $word >&3"), .socket = true});
  ASSERT_EQ(send(process.socket(), "twice\n", 6, 0), 6);
  EXPECT_EQ(process.wait().code(), 0);
  char text[32] = {};
  EXPECT_EQ(recv(process.socket(), text, sizeof text, 0), 12);
  EXPECT_STREQ(text, "twice twice\n");
}

TEST(Process, that_still_runs_has_not_ended_until_it_is_killed) {
  Process process({.argv = shell("exec sleep 1000")});
  EXPECT_EQ(process.wait(milliseconds(5)), std::nullopt);
  process.kill();
  EXPECT_TRUE(process.wait().signalled);
}

/// The script's child holds the socket's end open as long as it lives.
TEST(Process, leaves_no_child_of_its_group_behind) {
  std::optional<Process> process;
  process.emplace(Command{.argv = shell("sleep 1000 & exit 3"), .group = true, .socket = true});
  EXPECT_EQ(process->wait().code(), 3);
  pollfd open{process->socket(), POLLIN, 0};
  EXPECT_EQ(poll(&open, 1, 5), 0);  // the child's end is not closed
  process->kill();
  EXPECT_EQ(poll(&open, 1, 10'000), 1);
}

TEST(Run, says_what_was_written_and_how_it_ended) {
  const Ran ran = run(shell("cat; echo bad >&2; exit 7"), "given", 30);
  EXPECT_EQ(ran.out, "given");
  EXPECT_EQ(ran.err, "bad\n");
  EXPECT_EQ(ran.end.code(), 7);
  EXPECT_FALSE(ran.silent);
}

TEST(Run, one_that_goes_on_writing_is_not_silent) {
  const Ran ran = run(shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done"), "", 0.8);
  EXPECT_FALSE(ran.silent);
  EXPECT_EQ(ran.end.code(), 0);
}

TEST(Run, one_that_falls_silent_is_killed_and_what_it_wrote_is_kept) {
  const Ran ran = run(shell("echo begun; sleep 1000; echo ended"), "", 0.2);
  EXPECT_TRUE(ran.silent);
  EXPECT_EQ(ran.out, "begun\n");
}

TEST(Run, a_program_that_is_not_there_is_an_error) {
  EXPECT_THROW((void)run({"/nonexistent/tool"}, "", 1), std::system_error);
}

TEST(MadeApart, is_what_was_made_unless_it_takes_too_long_or_is_too_long) {
  EXPECT_EQ(made_apart([] { return std::string(10'000, 'x'); }, 1, 10'000),
            std::string(10'000, 'x'));
  EXPECT_EQ(made_apart([] { return std::string(10'000, 'x'); }, 1, 9'999), std::nullopt);
  const std::atomic<bool> over{false};
  const auto endless = [&] {
    while (!over) {
    }
    return std::string();
  };
  EXPECT_EQ(made_apart(endless, 1, 10), std::nullopt);
}

}  // namespace
}  // namespace gauntlet::os
