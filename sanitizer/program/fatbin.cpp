// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/fatbin.hpp"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

namespace gauntlet::runtime {
namespace {

constexpr std::uint64_t most_ptx_bytes = 1ULL << 30;

struct FatHead {
  std::uint32_t magic;
  std::uint16_t version, head_bytes;
  std::uint64_t bytes;  // of all entries
};

// As nvcc 13.0 writes it (measured): heads of 64 bytes and more, payloads padded to 8.
struct EntryHead {
  std::uint16_t kind, version;
  std::uint32_t head_bytes;
  std::uint64_t bytes;   // of the payload, padded
  std::uint32_t packed;  // of the payload without padding, where it is compressed
  std::uint32_t option_at;
  std::uint16_t minor, major;
  std::uint32_t arch;
  std::uint32_t name_at, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t unpacked;
};
static_assert(sizeof(EntryHead) == 64);
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

template <class T>
T head_at(const std::byte* at) {
  T head;
  std::memcpy(&head, at, sizeof head);
  return head;
}

/// libzstd is part of every Debian (dpkg needs it), its header is not: the two functions that are
/// needed are looked up (their interface is stable since 1.0).
std::string unpack_zstd(std::span<const std::byte> packed, std::uint64_t bytes) {
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  using IsError = unsigned (*)(std::size_t);
  static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(
        "its PTX is compressed and libzstd.so.1 is not installed; install libzstd1, or build the "
        "program with nvcc --compress-mode=none");
  }
  static const auto decompress = reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  static const auto is_error = reinterpret_cast<IsError>(dlsym(library, "ZSTD_isError"));
  std::string text(bytes, '\0');
  const std::size_t got = decompress(text.data(), text.size(), packed.data(), packed.size());
  if (is_error(got) != 0 || got != bytes) throw std::runtime_error("its PTX cannot be unpacked");
  return text;
}

}  // namespace

std::vector<Image> images(const std::byte* data) {
  const auto head = head_at<FatHead>(data);
  if (head.magic != fat_binary_magic || head.head_bytes < sizeof(FatHead)) {
    throw std::runtime_error("no fat binary of a known format");
  }
  std::vector<Image> all;
  const std::byte* at = data + head.head_bytes;
  for (std::uint64_t left = head.bytes; left >= sizeof(EntryHead);) {
    const auto entry = head_at<EntryHead>(at);
    if (entry.head_bytes < sizeof(EntryHead) || entry.head_bytes > left ||
        entry.bytes > left - entry.head_bytes || entry.packed > entry.bytes) {
      throw std::runtime_error("a fat binary whose entries do not fit into it");
    }
    Image image;
    image.ptx = entry.kind == kind_ptx;
    image.arch = entry.arch;
    image.payload = {at + entry.head_bytes, entry.bytes};
    image.unpacked_bytes = entry.bytes;
    if ((entry.flags & (flag_lz4 | flag_zstd)) != 0) {
      image.packing = (entry.flags & flag_zstd) != 0 ? Image::Packing::zstd : Image::Packing::lz4;
      image.payload = image.payload.first(entry.packed);
      image.unpacked_bytes = entry.unpacked;
    }
    all.push_back(image);
    at += entry.head_bytes + entry.bytes;
    left -= entry.head_bytes + entry.bytes;
  }
  return all;
}

std::string ptx_of(const Image& image) {
  if (image.unpacked_bytes > most_ptx_bytes) throw std::runtime_error("its PTX is too large");
  std::string text;
  switch (image.packing) {
    case Image::Packing::none:
      text.assign(reinterpret_cast<const char*>(image.payload.data()), image.payload.size());
      break;
    case Image::Packing::lz4:
      text = unpack_lz4(image.payload, image.unpacked_bytes);
      break;
    case Image::Packing::zstd:
      text = unpack_zstd(image.payload, image.unpacked_bytes);
      break;
  }
  text.resize(std::strlen(text.c_str()));  // padded with zeros
  return text;
}

const Image* best_ptx(const std::vector<Image>& images, std::uint32_t arch) {
  const Image* best = nullptr;
  for (const Image& image : images) {
    if (!image.ptx) continue;
    const bool better = best == nullptr     ? true
                        : best->arch > arch ? image.arch < best->arch
                        : image.arch > arch ? false
                                            : image.arch > best->arch;
    if (better) best = &image;
  }
  return best;
}

std::string unpack_lz4(std::span<const std::byte> packed, std::uint64_t bytes) {
  std::string out;
  out.reserve(bytes);
  std::size_t at = 0;
  const auto next = [&]() -> unsigned {
    if (at >= packed.size()) throw std::runtime_error("its PTX cannot be unpacked");
    return std::to_integer<unsigned>(packed[at++]);
  };
  const auto length = [&](unsigned nibble) {
    std::size_t n = nibble;
    for (unsigned more = 255; nibble == 15 && more == 255;) n += more = next();
    return n;
  };
  // Each sequence: literals, then a match that is copied from what is there already. The last has
  // no match.
  while (at < packed.size()) {
    const unsigned token = next();
    const std::size_t literals = length(token >> 4);
    if (literals > packed.size() - at || literals > bytes - out.size()) {
      throw std::runtime_error("its PTX cannot be unpacked");
    }
    out.append(reinterpret_cast<const char*>(packed.data() + at), literals);
    at += literals;
    if (at == packed.size()) break;
    const unsigned low = next();
    const std::size_t distance = low + 256 * next();
    const std::size_t match = length(token & 15) + 4;
    if (distance == 0 || distance > out.size() || match > bytes - out.size()) {
      throw std::runtime_error("its PTX cannot be unpacked");
    }
    for (std::size_t k = 0; k < match; ++k) out.push_back(out[out.size() - distance]);
  }
  if (out.size() != bytes) throw std::runtime_error("its PTX cannot be unpacked");
  return out;
}

}  // namespace gauntlet::runtime
