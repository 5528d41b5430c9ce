// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The protocol between the executor and its workers: frames over a local socket. Both ends are the
// same program (Hello::build), so numbers travel as they lie in memory.
//
//   frame    u32 length of the rest, u8 Message, payload
//   worker   hello, then for each batch: one result per job in order, or lost; batches that it runs
//            at once (Hello::launchers) overtake each other
//            loading / ready around what may take long (assembling a module)
//   parent   batch: u8 careful, u64 count, jobs
//
// A careful batch runs its jobs one at a time and sends each result at once, so that whatever ends
// the worker is the doing of the first job without an answer; no other batch is under way then. The
// jobs of another batch run together, and a worker that loses its device answers for none of them.
// Batches begin in the order in which they come, so that only as many as run at once can have ended
// the worker: the first ones that are not answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/packed.hpp"
#include "gpu/executor/job.hpp"

namespace gauntlet::cuda {

enum class Message : std::uint8_t { hello = 1, batch, result, lost, loading, ready };

/// The device is of no more use to the worker: a sticky error. No job: it cannot say which.
struct Lost {
  static constexpr std::uint64_t no_job = ~std::uint64_t{0};
  std::uint64_t job = no_job;
  std::string error;  ///< the CUDA error's name
};

using Bytes = std::vector<std::byte>;

/// A job as put_job wrote it, and the id that it gets.
struct PackedJob {
  std::uint64_t id = 0;
  std::span<const std::byte> bytes;
};

/// Appends a job as it stands in a batch; it gets its id there.
void put_job(Bytes& to, const Job& job);

// Each appends one whole frame.
void put_hello(Bytes& to, const Hello& hello);
void put_batch(Bytes& to, std::span<const PackedJob> jobs, bool careful);
void put_result(Bytes& to, const Result& result);
void put_lost(Bytes& to, const Lost& lost);
void put_note(Bytes& to, Message message);  ///< loading, ready

struct Frame {
  Message message{};
  std::span<const std::byte> payload;
};

struct Batch {
  bool careful = false;
  std::vector<Job> jobs;
};

// Each throws ProtocolError for a payload that is too short, too long or out of range.
[[nodiscard]] Hello get_hello(std::span<const std::byte> payload);
/// `into` may hold another batch, whose memory is used again.
void get_batch(std::span<const std::byte> payload, Batch& into);
[[nodiscard]] Batch get_batch(std::span<const std::byte> payload);
[[nodiscard]] Result get_result(std::span<const std::byte> payload);
[[nodiscard]] Lost get_lost(std::span<const std::byte> payload);

/// Cuts a stream of bytes into frames.
class FrameReader {
 public:
  void append(std::span<const std::byte> bytes);
  /// The next whole frame; false when more bytes are needed. The payload is valid until the next
  /// append. Throws ProtocolError for a message that does not exist or a frame beyond 4 GiB.
  [[nodiscard]] bool next(Frame& frame);

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace gauntlet::cuda
