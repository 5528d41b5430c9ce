// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/wire.hpp"

#include <gtest/gtest.h>

#include "gpu/executor/executor.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "tests/gpu/executor/fake_device.hpp"

namespace gauntlet::cuda {
namespace {

Job job_of(const char* line) {
  Case c = parse_case(line);
  const Plan plan = kernels::plan(c);
  EXPECT_EQ(plan.refusal, "");
  return make_job(c, plan);
}

Frame only_frame(FrameReader& reader, const Bytes& bytes) {
  reader.append(bytes);
  Frame frame;
  EXPECT_TRUE(reader.next(frame));
  return frame;
}

Result some_result() {
  Result result;
  result.id = 77;
  result.input = {0, 3, 0, -2, 4};
  result.buffers = {{0, 0, 0, 0, 8}, {1, 0, 9, 0, 8}};
  result.observed.push_back({{std::byte{1}, std::byte{2}}, {0, 1}});
  result.observed.push_back({});
  return result;
}

TEST(Wire, batch_of_real_plans_comes_back_byte_for_byte) {
  const std::vector<Job> jobs = {
      job_of("sequential@fixed f32->f32 sum n=1000 block=64 data=uniform seed=5"),
      job_of("static_partials@fixed f64->f64 sum n=5000 block=128 data=uniform"),
      job_of("cub_device@fixed i32->i32 maximum n=100000 data=identities tail=zero"),
      job_of("global_inplace@fixed f32->f32 sum n=300 block=32 offset=8 tail=unmapped")};
  for (const bool careful : {false, true}) {
    const Bytes bytes = batch_of(jobs, careful);
    FrameReader reader;
    const Frame frame = only_frame(reader, bytes);
    ASSERT_EQ(frame.message, Message::batch);
    const Batch batch = get_batch(frame.payload);
    EXPECT_EQ(batch.careful, careful);
    ASSERT_EQ(batch.jobs.size(), jobs.size());
    EXPECT_EQ(batch_of(batch.jobs, careful), bytes);
    EXPECT_EQ(batch.jobs[1].launches.size(), jobs[1].launches.size());
    EXPECT_EQ(batch.jobs[1].observed[1].symbol, "_ZN28gauntlet__fixed__f64_f64_sum8partialsE");
    EXPECT_TRUE(batch.jobs[1].exclusive());
    EXPECT_TRUE(batch.jobs[3].input_may_change);
    EXPECT_EQ(batch.jobs[3].offset, 8U);
  }
}

TEST(Wire, a_batch_read_in_the_place_of_another_has_nothing_of_it) {
  const std::vector<Job> many = {
      job_of("cub_device@fixed i32->i32 maximum n=100000 data=identities tail=zero"),
      job_of("static_partials@fixed f64->f64 sum n=5000 block=128 data=uniform"),
      job_of("single_pass_ticket@fixed f32->f32 sum n=5000 block=128")};
  const std::vector<Job> few = {
      job_of("global_inplace@fixed f32->f32 sum n=300 block=32 offset=8 tail=unmapped"),
      job_of("sequential@fixed f32->f32 sum n=1000 block=64 data=uniform seed=5")};
  FrameReader reader;
  Batch batch;
  for (const auto* jobs : {&many, &few, &many, &few}) {
    const bool careful = jobs == &few;
    const Bytes bytes = batch_of(*jobs, careful);
    get_batch(only_frame(reader, bytes).payload, batch);
    EXPECT_EQ(batch.careful, careful);
    EXPECT_EQ(batch_of(batch.jobs, careful), bytes);
  }
}

TEST(Wire, a_launch_says_that_it_may_overlap_the_one_before) {
  const std::vector<Job> sent = {
      job_of("dependent_launch@fixed f32->f32 sum n=5000 block=64 grid=3")};
  FrameReader reader;
  Batch batch;
  const Bytes bytes = batch_of(sent, false);
  get_batch(only_frame(reader, bytes).payload, batch);
  std::vector<bool> programmatic;
  for (const Launch& launch : batch.jobs.at(0).launches) {
    programmatic.push_back(launch.programmatic);
  }
  EXPECT_EQ(programmatic, (std::vector<bool>{false, true, true, true}));
}

TEST(Wire, result_hello_and_lost_come_back_equal) {
  Bytes bytes;
  put_result(bytes, some_result());
  FrameReader results;
  EXPECT_EQ(get_result(only_frame(results, bytes).payload), some_result());

  Hello hello;
  hello.build = build_id();
  hello.device = "a device";
  hello.driver = 13000;
  hello.memory = std::uint64_t{80} << 30;
  Bytes greeting;
  put_hello(greeting, hello);
  FrameReader greetings;
  const Hello back = get_hello(only_frame(greetings, greeting).payload);
  EXPECT_EQ(back.build, hello.build);
  EXPECT_EQ(back.device, hello.device);
  EXPECT_EQ(back.driver, hello.driver);
  EXPECT_EQ(back.memory, hello.memory);

  Bytes loss;
  put_lost(loss, {12, "cudaErrorLaunchFailure"});
  FrameReader losses;
  const Lost lost = get_lost(only_frame(losses, loss).payload);
  EXPECT_EQ(lost.job, 12U);
  EXPECT_EQ(lost.error, "cudaErrorLaunchFailure");
}

TEST(Wire, frames_are_cut_from_a_stream_that_arrives_byte_by_byte) {
  Bytes bytes;
  put_note(bytes, Message::loading);
  put_result(bytes, some_result());
  put_note(bytes, Message::ready);
  FrameReader reader;
  std::vector<Message> messages;
  for (const std::byte byte : bytes) {
    reader.append({&byte, 1});
    Frame frame;
    while (reader.next(frame)) messages.push_back(frame.message);
  }
  const std::vector<Message> wanted{Message::loading, Message::result, Message::ready};
  EXPECT_EQ(messages, wanted);
}

TEST(Wire, every_payload_that_ends_early_or_late_is_refused) {
  const std::vector<Job> jobs = {job_of("two_pass@fixed f32->f32 sum n=3000 block=64")};
  FrameReader reader;
  const Frame frame = only_frame(reader, batch_of(jobs, false));
  for (std::size_t size = 0; size < frame.payload.size(); ++size) {
    EXPECT_THROW((void)get_batch(frame.payload.first(size)), ProtocolError) << size;
  }
  Bytes longer(frame.payload.begin(), frame.payload.end());
  longer.push_back(std::byte{0});
  EXPECT_THROW((void)get_batch(longer), ProtocolError);

  Bytes bytes;
  put_result(bytes, some_result());
  FrameReader results;
  const Frame result = only_frame(results, bytes);
  for (std::size_t size = 0; size < result.payload.size(); ++size) {
    EXPECT_THROW((void)get_result(result.payload.first(size)), ProtocolError) << size;
  }
}

TEST(Wire, messages_that_do_not_exist_are_refused) {
  for (const unsigned kind : {0U, 7U, 255U}) {
    FrameReader reader;
    const Bytes bytes{std::byte{1}, {}, {}, {}, static_cast<std::byte>(kind)};
    reader.append(bytes);
    Frame frame;
    EXPECT_THROW((void)reader.next(frame), ProtocolError) << kind;
  }
}

/// Of a kernel in a PTX file, with arrays whose content the plan gives.
Plan plan_of_file() {
  Plan plan;
  plan.takes_input = false;
  Buffer x{"x", 8, 4}, y{"y", 2, 2};
  x.content.assign(8, std::byte{7});
  x.offset = 4;
  x.read_only = true;
  plan.buffers = {x, y};
  plan.observed = {{"y", 1, {}, Type::f16}};
  Launch launch;
  launch.module = "/some/kernels.ptx";
  launch.entry = "halve";
  launch.args = {Arg::of_array(Plan::buffer(0)), Arg::of_array(Plan::buffer(1))};
  plan.launches = {launch};
  return plan;
}

TEST(Wire, a_call_of_a_function_of_the_host_travels) {
  Plan plan = plan_of_file();
  const Case c = parse_case("k.gauntlet n=2 offset=4");
  const auto sent_and_read = [&] {
    FrameReader reader;
    const Bytes bytes = batch_of({make_job(c, plan)}, true);
    return get_batch(only_frame(reader, bytes).payload).jobs.at(0);
  };
  EXPECT_FALSE(sent_and_read().host.has_value());
  plan.host = {[](const Case&, const Plan&) { return Observation(); }, {}, 3, true};
  plan.launches[0].module = "/some/library.so";
  const Job job = sent_and_read();
  ASSERT_TRUE(job.host.has_value());
  EXPECT_EQ(job.host->which, 3U);
  EXPECT_TRUE(job.host->stream);
  EXPECT_EQ(job.launches.at(0).module, "/some/library.so");
  EXPECT_TRUE(job.exclusive());
}

TEST(Wire, a_kernel_of_a_file_and_the_content_of_its_arrays_travel) {
  const std::vector<Job> jobs = {make_job(parse_case("k.gauntlet n=2 offset=4"), plan_of_file())};
  FrameReader reader;
  const Bytes bytes = batch_of(jobs, true);
  const Frame frame = only_frame(reader, bytes);
  const Job job = get_batch(frame.payload).jobs.at(0);
  EXPECT_EQ(job.launches.at(0).module, "/some/kernels.ptx");
  EXPECT_EQ(job.launches[0].entry, "halve");
  EXPECT_EQ(job.buffers.at(0).content, plan_of_file().buffers[0].content);
  EXPECT_EQ(job.buffers[0].offset, 4U);
  EXPECT_TRUE(job.buffers[0].read_only);
  EXPECT_TRUE(job.buffers[1].content.empty());
  EXPECT_EQ(job.observed.at(0).cell_bytes, 2U);
  EXPECT_EQ(job.allocated, 0U);
  EXPECT_TRUE(job.exclusive());  // the file may have variables of its own
}

TEST(Wire, content_of_another_size_and_cells_of_no_size_are_refused) {
  const Job good = make_job(parse_case("k.gauntlet n=2"), plan_of_file());
  std::vector<Job> jobs(3, good);
  jobs[0].buffers[0].content.pop_back();
  jobs[1].observed[0].cell_bytes = 0;
  jobs[2].launches[0].module = "kernels.ptx";
  for (const Job& job : jobs) {
    FrameReader reader;
    const Bytes bytes = batch_of({job}, false);
    const Frame frame = only_frame(reader, bytes);
    EXPECT_THROW((void)get_batch(frame.payload), ProtocolError);
  }
}

TEST(Wire, an_argument_that_names_no_buffer_is_refused) {
  std::vector<Job> jobs = {job_of("sequential@fixed f32->f32 sum n=10 block=32")};
  jobs[0].launches[0].args[1].array = 2;
  FrameReader reader;
  const Bytes bytes = batch_of(jobs, false);
  const Frame frame = only_frame(reader, bytes);
  EXPECT_THROW((void)get_batch(frame.payload), ProtocolError);
}

}  // namespace
}  // namespace gauntlet::cuda
