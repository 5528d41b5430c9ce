// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/wire.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "base/members.hpp"
#include "kernels/images.hpp"

namespace gauntlet {

GAUNTLET_FIELDS(Arg, kind, array, byte_offset, bytes, symbol)

}  // namespace gauntlet

namespace gauntlet::cuda {

GAUNTLET_FIELDS(JobLaunch, index, file, kernel, grid, block, shared_bytes, cooperative,
                programmatic, args)
GAUNTLET_FIELDS(JobBuffer, bytes, element_bytes, fill, content, offset, read_only)
GAUNTLET_FIELDS(JobObserved, buffer, symbol, cells, cell_bytes)
GAUNTLET_FIELDS(Job, id, recipe, zero_tail, input_may_change, offset, allocated, identity, open,
                salt, buffers, launches, observed)
GAUNTLET_FIELDS(Batch, careful, jobs)
GAUNTLET_FIELDS(SeenCells, bytes, kept)
GAUNTLET_FIELDS(Result, id, status, error, input, buffers, observed)
GAUNTLET_FIELDS(Hello, build, unusable, device, uuid, major, minor, multiprocessors, launchers,
                devices, driver, runtime, memory)
GAUNTLET_FIELDS(Lost, job, error)

namespace {

/// The greatest value of each enum that travels by itself.
template <class E>
inline constexpr E last_of{};
template <>
inline constexpr auto last_of<Arg::Kind> = Arg::Kind::symbol;
template <>
inline constexpr auto last_of<Fill> = Fill::identity;
template <>
inline constexpr auto last_of<Result::Status> = Result::Status::too_big;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
/// What lies in memory as it travels.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !Described<T>;

constexpr std::size_t head = sizeof(std::uint32_t) + 1;

class Writer {
 public:
  explicit Writer(Bytes& to) : to_(to) {}

  template <class T>
  void put(const T& value) {
    if constexpr (Described<T>) {
      for_each_field<T>([&](const auto& field) { put(value.*field.member); });
    } else if constexpr (std::is_same_v<T, std::string>) {
      pod(static_cast<std::uint32_t>(value.size()));
      bytes(value.data(), value.size());
    } else if constexpr (is_list<T>) {
      pod(static_cast<std::uint64_t>(value.size()));
      if constexpr (Plain<typename T::value_type>) {
        bytes(value.data(), value.size() * sizeof(typename T::value_type));
      } else {
        for (const auto& one : value) put(one);
      }
    } else {
      pod(value);
    }
  }
  template <Plain T>
  void pod(const T& value) {
    bytes(&value, sizeof value);
  }

  void bytes(const void* from, std::size_t count) {
    const auto* const begin = static_cast<const std::byte*>(from);
    to_.insert(to_.end(), begin, begin + count);
  }

 private:
  Bytes& to_;
};

/// Writes one frame.
class FrameWriter : public Writer {
 public:
  FrameWriter(Bytes& to, Message message) : Writer(to), to_(to), start_(to.size()) {
    pod(std::uint32_t{0});
    pod(message);
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

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}

  template <class T>
  void get(T& value) {
    if constexpr (Described<T>) {
      for_each_field<T>([&](const auto& field) { get(value.*field.member); });
    } else if constexpr (std::is_same_v<T, std::string>) {
      const auto size = pod<std::uint32_t>();
      value.assign(reinterpret_cast<const char*>(take(size)), size);
    } else if constexpr (is_list<T>) {
      using One = typename T::value_type;
      const auto count = pod<std::uint64_t>();
      constexpr std::size_t least = Plain<One> ? sizeof(One) : 1;  // bytes of one
      if (count > from_.size() / least) bad("a list longer than its frame");
      value.resize(count);
      if constexpr (Plain<One>) {
        if (count != 0) std::memcpy(value.data(), take(count * sizeof(One)), count * sizeof(One));
      } else {
        for (One& one : value) get(one);
      }
    } else if constexpr (std::is_same_v<T, bool>) {
      value = pod<std::uint8_t>() != 0;
    } else {
      value = pod<T>();
      if constexpr (std::is_enum_v<T>) {
        if (value > last_of<T>) bad("a choice out of range");
      }
    }
  }
  template <class T>
  [[nodiscard]] T whole() {
    T value;
    get(value);
    end();
    return value;
  }
  void end() const {
    if (!from_.empty()) bad("bytes behind the end");
  }

  [[noreturn]] static void bad(std::string_view what) {
    throw ProtocolError(fmt::format("worker protocol: {}", what));
  }

 private:
  template <Plain T>
  T pod() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  const std::byte* take(std::size_t size) {
    if (size > from_.size()) bad("a frame ends too early");
    const std::byte* const at = from_.data();
    from_ = from_.subspan(size);
    return at;
  }
  std::span<const std::byte> from_;
};

void check(const Job& job) {
  const std::size_t buffers = job.buffers.size();
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.element_bytes == 0) Reader::bad("a buffer of elements without size");
    if (!buffer.content.empty() && buffer.content.size() != buffer.bytes) {
      Reader::bad("a buffer's content is not of its size");
    }
  }
  for (const JobLaunch& launch : job.launches) {
    const bool of_file = launch.index == JobLaunch::of_file && is_ptx_file(launch.file);
    if (!of_file && launch.index >= kernels::entries().size()) Reader::bad("no such kernel");
    for (const Arg& arg : launch.args) {
      if (arg.kind == Arg::Kind::array && arg.array > buffers) {
        Reader::bad("an argument names no buffer");
      }
    }
  }
  for (const JobObserved& observed : job.observed) {
    if (observed.buffer != JobObserved::no_buffer && observed.buffer >= buffers) {
      Reader::bad("an observed buffer does not exist");
    }
    if (observed.cell_bytes == 0 || observed.cell_bytes > 8) {
      Reader::bad("observed cells of no such size");
    }
  }
}

}  // namespace

void put_hello(Bytes& to, const Hello& hello) { FrameWriter(to, Message::hello).put(hello); }
void put_result(Bytes& to, const Result& result) { FrameWriter(to, Message::result).put(result); }
void put_lost(Bytes& to, const Lost& lost) { FrameWriter(to, Message::lost).put(lost); }

void put_job(Bytes& to, const Job& job) { Writer(to).put(job); }

/// As a Batch. The id comes first of a job's fields.
void put_batch(Bytes& to, std::span<const PackedJob> jobs, bool careful) {
  FrameWriter w(to, Message::batch);
  w.put(careful);
  w.put(std::uint64_t{jobs.size()});
  for (const PackedJob& job : jobs) {
    w.pod(job.id);
    w.bytes(job.bytes.data() + sizeof job.id, job.bytes.size() - sizeof job.id);
  }
}

Hello get_hello(std::span<const std::byte> payload) { return Reader(payload).whole<Hello>(); }
Result get_result(std::span<const std::byte> payload) { return Reader(payload).whole<Result>(); }
Lost get_lost(std::span<const std::byte> payload) { return Reader(payload).whole<Lost>(); }

void get_batch(std::span<const std::byte> payload, Batch& into) {
  Reader reader(payload);
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
  if (length == 0) Reader::bad("an empty frame");
  const auto kind = static_cast<unsigned>(bytes_[at_ + sizeof length]);
  if (kind < static_cast<unsigned>(Message::hello) ||
      kind > static_cast<unsigned>(Message::ready)) {
    Reader::bad(fmt::format("no message has the number {}", kind));
  }
  if (bytes_.size() - at_ - sizeof length < length) return false;
  frame.message = static_cast<Message>(kind);
  frame.payload = std::span(bytes_).subspan(at_ + head, length - 1);
  at_ += sizeof length + length;
  return true;
}

}  // namespace gauntlet::cuda
