// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The worker's side of the socket, without a process of its own.
#include "gpu/executor/worker.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <latch>
#include <memory>
#include <thread>

#include "gpu/executor/wire.hpp"
#include "tests/gpu/executor/fake_device.hpp"

namespace gauntlet::cuda {
namespace {

class WorkerTest : public ::testing::Test {
 protected:
  explicit WorkerTest(std::unique_ptr<Device> device = nullptr) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    log_ = ::testing::TempDir() + "gauntlet_worker_" + std::to_string(getpid()) + ".log";
    device_ = device != nullptr ? std::move(device) : make_fake_device(log_);
    thread_ = std::jthread([this] { code_ = serve(ends_[1], *device_); });
    EXPECT_EQ(next(), Message::hello);
  }
  ~WorkerTest() override {
    (void)hang_up();
    close(ends_[1]);
    std::remove(log_.c_str());
  }

  void send_batch(const std::vector<Job>& jobs, bool careful) {
    const Bytes bytes = batch_of(jobs, careful);
    ASSERT_EQ(send(ends_[0], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  Message next() {
    while (!reader_.next(frame_)) {
      std::array<std::byte, 4096> buffer;
      const ssize_t got = recv(ends_[0], buffer.data(), buffer.size(), 0);
      if (got <= 0) return Message{};
      reader_.append(std::span(buffer).first(static_cast<std::size_t>(got)));
    }
    return frame_.message;
  }
  int hang_up() {
    if (ends_[0] >= 0) {
      shutdown(ends_[0], SHUT_RDWR);
      close(ends_[0]);
      ends_[0] = -1;
    }
    if (thread_.joinable()) thread_.join();
    return code_;
  }
  Job job(std::uint64_t id, Script script) {
    Job job = scripted(10 * id, script);
    job.id = id;
    return job;
  }

  std::array<int, 2> ends_{};
  std::string log_;
  std::unique_ptr<Device> device_;
  std::jthread thread_;
  int code_ = -1;
  FrameReader reader_;
  Frame frame_;
};

TEST_F(WorkerTest, results_come_in_the_order_of_the_jobs) {
  send_batch({job(5, Script::answer), job(3, Script::answer)}, false);
  ASSERT_EQ(next(), Message::result);
  const Result first = get_result(frame_.payload);
  EXPECT_EQ(first.id, 5U);
  EXPECT_EQ(answered(first), 50U);
  ASSERT_EQ(next(), Message::result);
  EXPECT_EQ(get_result(frame_.payload).id, 3U);
  EXPECT_EQ(hang_up(), 0);
}

TEST_F(WorkerTest, a_lost_device_in_a_careful_batch_names_the_job_after_the_results_before_it) {
  send_batch({job(1, Script::answer), job(2, Script::fault), job(3, Script::answer)}, true);
  ASSERT_EQ(next(), Message::result);
  EXPECT_EQ(get_result(frame_.payload).id, 1U);
  ASSERT_EQ(next(), Message::lost);
  EXPECT_EQ(get_lost(frame_.payload).job, 2U);
  EXPECT_EQ(hang_up(), 1);
}

TEST_F(WorkerTest, a_lost_device_in_another_batch_answers_for_none) {
  send_batch({job(1, Script::answer), job(2, Script::fault)}, false);
  ASSERT_EQ(next(), Message::lost);
  EXPECT_EQ(get_lost(frame_.payload).job, Lost::no_job);
  EXPECT_EQ(hang_up(), 1);
}

/// Runs two batches at once: what happens to the first job's waits for the second one's.
class TwoAtOnce final : public Device {
 public:
  Hello hello() override {
    Hello hello;
    hello.build = build_id();
    hello.launchers = 2;
    return hello;
  }
  std::vector<Result> run(std::span<const Job> jobs) override {
    if (jobs.front().id == 1) {
      first_may_end_.wait();
    } else if (static_cast<Script>(jobs.front().identity) == Script::fault) {
      throw DeviceLost("cudaErrorIllegalAddress");
    }
    std::vector<Result> results(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) results[i].id = jobs[i].id;
    return results;
  }
  void let_first_end() { first_may_end_.count_down(); }

 private:
  std::latch first_may_end_{1};
};

class WorkerOfTwo : public WorkerTest {
 protected:
  WorkerOfTwo() : WorkerTest(std::make_unique<TwoAtOnce>()) {}
  void let_first_end() { static_cast<TwoAtOnce&>(*device_).let_first_end(); }
};

TEST_F(WorkerOfTwo, a_batch_does_not_wait_for_the_one_before) {
  send_batch({job(1, Script::answer), job(2, Script::answer)}, false);
  send_batch({job(3, Script::answer)}, false);
  send_batch({job(4, Script::answer), job(5, Script::answer)}, false);
  for (const std::uint64_t id : {3U, 4U, 5U, 1U, 2U}) {
    if (id == 1) let_first_end();
    ASSERT_EQ(next(), Message::result);
    EXPECT_EQ(get_result(frame_.payload).id, id);
  }
  EXPECT_EQ(hang_up(), 0);
}

TEST_F(WorkerOfTwo, nothing_is_said_after_the_news_that_the_device_is_lost) {
  send_batch({job(1, Script::answer)}, false);
  send_batch({job(2, Script::fault)}, false);
  send_batch({job(3, Script::answer)}, false);
  ASSERT_EQ(next(), Message::lost);
  EXPECT_EQ(get_lost(frame_.payload).job, Lost::no_job);
  let_first_end();
  thread_.join();
  std::byte more{};
  EXPECT_LT(recv(ends_[0], &more, 1, MSG_DONTWAIT), 0);
  EXPECT_EQ(hang_up(), 1);
}

}  // namespace
}  // namespace gauntlet::cuda
