// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/wire.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "kernels/images.hpp"

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kHead = sizeof(std::uint32_t) + 1;

class Writer {
 public:
  Writer(Bytes& to, Message message) : to_(to), start_(to.size()) {
    pod(std::uint32_t{0});
    pod(message);
  }
  ~Writer() {
    const auto length = static_cast<std::uint32_t>(to_.size() - start_ - sizeof(std::uint32_t));
    std::memcpy(to_.data() + start_, &length, sizeof length);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <class T>
  void pod(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    to_.insert(to_.end(), begin, begin + sizeof value);
  }
  void text(std::string_view text) {
    pod(static_cast<std::uint32_t>(text.size()));
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    to_.insert(to_.end(), begin, begin + text.size());
  }
  template <class T>
  void pods(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    pod(static_cast<std::uint64_t>(values.size()));
    const auto* const begin = reinterpret_cast<const std::byte*>(values.data());
    to_.insert(to_.end(), begin, begin + values.size() * sizeof(T));
  }

 private:
  Bytes& to_;
  std::size_t start_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}

  template <class T>
  T pod() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class T>
  void pod(T& value) {
    value = pod<T>();
  }
  template <class Enum>
  Enum choice(Enum last) {
    const auto value = pod<Enum>();
    if (static_cast<unsigned>(value) > static_cast<unsigned>(last)) bad("a choice out of range");
    return value;
  }
  bool yes() { return pod<std::uint8_t>() != 0; }
  std::string text() {
    const auto size = pod<std::uint32_t>();
    return {reinterpret_cast<const char*>(take(size)), size};
  }
  template <class T>
  std::vector<T> pods() {
    const auto count = pod<std::uint64_t>();
    if (count > from_.size() / sizeof(T)) bad("a list longer than its frame");
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), take(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  /// How many things follow, each of one byte at least.
  std::uint32_t count() {
    const auto count = pod<std::uint32_t>();
    if (count > from_.size()) bad("a list longer than its frame");
    return count;
  }
  void end() const {
    if (!from_.empty()) bad("bytes behind the end");
  }

  [[noreturn]] static void bad(std::string_view what) {
    throw ProtocolError(fmt::format("worker protocol: {}", what));
  }

 private:
  const std::byte* take(std::size_t size) {
    if (size > from_.size()) bad("a frame ends too early");
    const std::byte* const at = from_.data();
    from_ = from_.subspan(size);
    return at;
  }
  std::span<const std::byte> from_;
};

void put(Writer& w, const JobLaunch& launch) {
  w.pod(launch.index);
  w.pod(launch.grid);
  w.pod(launch.block);
  w.pod(launch.shared_bytes);
  w.pod(static_cast<std::uint8_t>(launch.cooperative));
  w.pod(static_cast<std::uint32_t>(launch.args.size()));
  for (const Arg& arg : launch.args) {
    w.pod(arg.kind);
    w.pod(arg.array);
    w.pod(arg.byte_offset);
    w.pods(arg.bytes);
    w.text(arg.symbol);
  }
}

JobLaunch get_launch(Reader& r, std::size_t buffers) {
  JobLaunch launch;
  r.pod(launch.index);
  if (launch.index >= kernels::entries().size()) Reader::bad("no such kernel");
  r.pod(launch.grid);
  r.pod(launch.block);
  r.pod(launch.shared_bytes);
  launch.cooperative = r.yes();
  launch.args.resize(r.count());
  for (Arg& arg : launch.args) {
    arg.kind = r.choice(Arg::Kind::symbol);
    r.pod(arg.array);
    r.pod(arg.byte_offset);
    arg.bytes = r.pods<std::byte>();
    arg.symbol = r.text();
    if (arg.kind == Arg::Kind::array && arg.array > buffers) {
      Reader::bad("an argument names no buffer");
    }
  }
  return launch;
}

void put(Writer& w, const Job& job) {
  w.pod(job.id);
  w.pod(job.recipe);
  w.pod(static_cast<std::uint8_t>(job.zero_tail));
  w.pod(static_cast<std::uint8_t>(job.input_may_change));
  w.pod(job.offset);
  w.pod(job.allocated);
  w.pod(job.cell_bytes);
  w.pod(job.identity);
  w.pod(job.open);
  w.pod(job.salt);
  w.pods(job.buffers);
  w.pod(static_cast<std::uint32_t>(job.launches.size()));
  for (const JobLaunch& launch : job.launches) put(w, launch);
  w.pod(static_cast<std::uint32_t>(job.observed.size()));
  for (const JobObserved& observed : job.observed) {
    w.pod(observed.buffer);
    w.text(observed.symbol);
    w.pod(observed.cells);
  }
}

Job get_job(Reader& r) {
  Job job;
  r.pod(job.id);
  r.pod(job.recipe);
  job.zero_tail = r.yes();
  job.input_may_change = r.yes();
  r.pod(job.offset);
  r.pod(job.allocated);
  r.pod(job.cell_bytes);
  r.pod(job.identity);
  job.open = r.choice(Open::all);
  r.pod(job.salt);
  job.buffers = r.pods<JobBuffer>();
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.element_bytes == 0) Reader::bad("a buffer of elements without size");
  }
  job.launches.resize(r.count());
  for (JobLaunch& launch : job.launches) launch = get_launch(r, job.buffers.size());
  job.observed.resize(r.count());
  for (JobObserved& observed : job.observed) {
    r.pod(observed.buffer);
    observed.symbol = r.text();
    r.pod(observed.cells);
    if (observed.buffer != JobObserved::no_buffer && observed.buffer >= job.buffers.size()) {
      Reader::bad("an observed buffer does not exist");
    }
  }
  return job;
}

}  // namespace

void put_hello(Bytes& to, const Hello& hello) {
  Writer w(to, Message::hello);
  w.pod(hello.build);
  w.text(hello.unusable);
  w.text(hello.device);
  w.text(hello.uuid);
  for (const auto value : {hello.major, hello.minor, hello.multiprocessors, hello.devices,
                           hello.driver, hello.runtime}) {
    w.pod(value);
  }
  w.pod(hello.memory);
}

Hello get_hello(std::span<const std::byte> payload) {
  Reader r(payload);
  Hello hello;
  r.pod(hello.build);
  hello.unusable = r.text();
  hello.device = r.text();
  hello.uuid = r.text();
  for (auto* value : {&hello.major, &hello.minor, &hello.multiprocessors, &hello.devices,
                      &hello.driver, &hello.runtime}) {
    r.pod(*value);
  }
  r.pod(hello.memory);
  r.end();
  return hello;
}

void put_batch(Bytes& to, std::span<const Job* const> jobs, bool careful) {
  Writer w(to, Message::batch);
  w.pod(static_cast<std::uint8_t>(careful));
  w.pod(static_cast<std::uint32_t>(jobs.size()));
  for (const Job* job : jobs) put(w, *job);
}

Batch get_batch(std::span<const std::byte> payload) {
  Reader r(payload);
  Batch batch;
  batch.careful = r.yes();
  batch.jobs.resize(r.count());
  for (Job& job : batch.jobs) job = get_job(r);
  r.end();
  return batch;
}

void put_result(Bytes& to, const Result& result) {
  Writer w(to, Message::result);
  w.pod(result.id);
  w.pod(result.status);
  w.text(result.error);
  w.pod(result.input);
  w.pods(result.buffers);
  w.pod(static_cast<std::uint32_t>(result.observed.size()));
  for (const SeenCells& seen : result.observed) {
    w.pods(seen.bytes);
    w.pods(seen.kept);
  }
}

Result get_result(std::span<const std::byte> payload) {
  Reader r(payload);
  Result result;
  r.pod(result.id);
  result.status = r.choice(Result::Status::too_big);
  result.error = r.text();
  r.pod(result.input);
  result.buffers = r.pods<Damage>();
  result.observed.resize(r.count());
  for (SeenCells& seen : result.observed) {
    seen.bytes = r.pods<std::byte>();
    seen.kept = r.pods<std::uint8_t>();
  }
  r.end();
  return result;
}

void put_lost(Bytes& to, const Lost& lost) {
  Writer w(to, Message::lost);
  w.pod(lost.job);
  w.text(lost.error);
}

Lost get_lost(std::span<const std::byte> payload) {
  Reader r(payload);
  Lost lost;
  r.pod(lost.job);
  lost.error = r.text();
  r.end();
  return lost;
}

void put_note(Bytes& to, Message message) { const Writer w(to, message); }

void FrameReader::append(std::span<const std::byte> bytes) {
  if (at_ != 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

bool FrameReader::next(Frame& frame) {
  if (bytes_.size() - at_ < kHead) return false;
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
  frame.payload = std::span(bytes_).subspan(at_ + kHead, length - 1);
  at_ += sizeof length + length;
  return true;
}

}  // namespace gauntlet::cuda
