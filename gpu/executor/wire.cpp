// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/wire.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/members.hpp"
#include "kernels/images.hpp"

namespace gauntlet::cuda {

GAUNTLET_FIELDS(JobObserved, buffer, symbol, cells, cell_bytes)
GAUNTLET_FIELDS(JobHost, which, stream)
GAUNTLET_FIELDS(Job, id, recipe, zero_tail, input_may_change, offset, allocated, identity, open,
                salt, buffers, launches, observed, host)
GAUNTLET_FIELDS(Batch, careful, jobs)
GAUNTLET_FIELDS(SeenCells, bytes, kept)
GAUNTLET_FIELDS(Result, id, status, error, input, buffers, observed)
GAUNTLET_FIELDS(Hello, build, unusable, device, uuid, major, minor, multiprocessors, launchers,
                devices, driver, runtime, memory)
GAUNTLET_FIELDS(Lost, job, error)

namespace {

constexpr std::size_t head = sizeof(std::uint32_t) + 1;

/// Writes one frame.
class FrameWriter : public Packer {
 public:
  FrameWriter(Bytes& to, Message message) : Packer(to), to_(to), start_(to.size()) {
    put(std::uint32_t{0});
    put(message);
  }
  ~FrameWriter() {
    const auto length = static_cast<std::uint32_t>(to_.size() - start_ - sizeof(std::uint32_t));
    std::memcpy(to_.data() + start_, &length, sizeof length);
  }
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

 private:
  Bytes& to_;
  std::size_t start_;
};

[[noreturn]] void bad(std::string_view what) { throw ProtocolError(what); }

void check(const Job& job) {
  const std::size_t buffers = job.buffers.size();
  for (const Buffer& buffer : job.buffers) {
    if (buffer.element_bytes == 0) bad("a buffer of elements without size");
    if (!buffer.content.empty() && buffer.content.size() != buffer.bytes) {
      bad("a buffer's content is not of its size");
    }
  }
  for (const Launch& launch : job.launches) {
    if (!is_ptx_file(launch.module) && kernels::ptx_of(launch.module).empty()) {
      bad("no such module of kernels");
    }
    for (const Arg& arg : launch.args) {
      if (arg.kind == Arg::Kind::array && arg.array > buffers) {
        bad("an argument names no buffer");
      }
    }
  }
  for (const JobObserved& observed : job.observed) {
    if (observed.buffer != JobObserved::no_buffer && observed.buffer >= buffers) {
      bad("an observed buffer does not exist");
    }
    if (observed.cell_bytes == 0 || observed.cell_bytes > 8) {
      bad("observed cells of no such size");
    }
  }
}

}  // namespace

void put_hello(Bytes& to, const Hello& hello) { FrameWriter(to, Message::hello).put(hello); }
void put_result(Bytes& to, const Result& result) { FrameWriter(to, Message::result).put(result); }
void put_lost(Bytes& to, const Lost& lost) { FrameWriter(to, Message::lost).put(lost); }

void put_job(Bytes& to, const Job& job) { Packer(to).put(job); }

/// As a Batch. The id comes first of a job's fields.
void put_batch(Bytes& to, std::span<const PackedJob> jobs, bool careful) {
  FrameWriter w(to, Message::batch);
  w.put(careful);
  w.put(std::uint64_t{jobs.size()});
  for (const PackedJob& job : jobs) {
    w.put(job.id);
    w.bytes(job.bytes.data() + sizeof job.id, job.bytes.size() - sizeof job.id);
  }
}

Hello get_hello(std::span<const std::byte> payload) { return Unpacker(payload).whole<Hello>(); }
Result get_result(std::span<const std::byte> payload) { return Unpacker(payload).whole<Result>(); }
Lost get_lost(std::span<const std::byte> payload) { return Unpacker(payload).whole<Lost>(); }

void get_batch(std::span<const std::byte> payload, Batch& into) {
  Unpacker reader(payload);
  reader.get(into);
  reader.end();
  for (const Job& job : into.jobs) check(job);
}

Batch get_batch(std::span<const std::byte> payload) {
  Batch batch;
  get_batch(payload, batch);
  return batch;
}

void put_note(Bytes& to, Message message) { const FrameWriter w(to, message); }

void FrameReader::append(std::span<const std::byte> bytes) {
  if (at_ != 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

bool FrameReader::next(Frame& frame) {
  if (bytes_.size() - at_ < head) return false;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes_.data() + at_, sizeof length);
  if (length == 0) bad("an empty frame");
  const auto kind = static_cast<unsigned>(bytes_[at_ + sizeof length]);
  if (kind < static_cast<unsigned>(Message::hello) ||
      kind > static_cast<unsigned>(Message::ready)) {
    bad(fmt::format("no message has the number {}", kind));
  }
  if (bytes_.size() - at_ - sizeof length < length) return false;
  frame.message = static_cast<Message>(kind);
  frame.payload = std::span(bytes_).subspan(at_ + head, length - 1);
  at_ += sizeof length + length;
  return true;
}

}  // namespace gauntlet::cuda
