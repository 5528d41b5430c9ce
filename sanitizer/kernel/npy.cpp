// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/numbers.hpp"
#include "base/usage_error.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t alignment = 64;  // of the data, as NumPy writes it

/// NumPy's name of a type.
std::string descr(Type type) {
  if (type == Type::bf16) return "<u2";
  const char kind = is_float(type) ? 'f' : is_signed(type) ? 'i' : 'u';
  return fmt::format("{}{}{}", size_of(type) == 1 ? '|' : '<', kind, size_of(type));
}

/// The text after 'KEY': in the header's dictionary, up to its end.
std::string_view member(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    const auto at = header.find(quoted);
    if (at == header.npos) continue;
    const auto colon = header.find(':', at + quoted.size());
    if (colon == header.npos) break;
    header.remove_prefix(colon + 1);
    header.remove_prefix(std::min(header.find_first_not_of(" \t"), header.size()));
    return header;
  }
  return {};
}

/// "(3, 4)" as 3, 4; false where it is anything else.
bool read_shape(std::string_view text, std::vector<std::uint64_t>& shape) {
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == text.npos) return false;
  text = text.substr(1, end - 1);
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" ,");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    const auto extent = take_number<std::uint64_t>(text);
    if (!extent) return false;
    shape.push_back(*extent);
    if (text.starts_with('L')) text.remove_prefix(1);  // as Python 2 wrote it
  }
  return true;
}

/// A file of which the header has been read.
struct Opened {
  std::ifstream file;  // at the first element
  std::uint64_t count = 1;
};

UsageError refusal(const std::string& path, std::string_view why) {
  return UsageError(fmt::format("{}: {}", path, why));
}

std::string read_header(std::ifstream& file, const std::string& path) {
  unsigned char head[12] = {};
  file.read(reinterpret_cast<char*>(head), 10);
  if (!file || std::memcmp(head, magic.data(), magic.size()) != 0) {
    throw refusal(path, "is no .npy file (its first bytes are not \\x93NUMPY)");
  }
  std::size_t length = head[8] | head[9] << 8;
  if (head[6] >= 2) {
    file.read(reinterpret_cast<char*>(head) + 10, 2);
    length |= std::size_t{head[10]} << 16 | std::size_t{head[11]} << 24;
  }
  if (!file || head[6] == 0 || head[6] > 3 || length > 1 << 20) {
    throw refusal(path, "is no .npy file of version 1, 2 or 3");
  }
  std::string header(length, '\0');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (!file) throw refusal(path, "ends within its header");
  return header;
}

void check_type(std::string_view header, Type type, const std::string& path) {
  std::string held(member(header, "descr"));  // quoted
  if (!held.empty()) held = held.substr(1, held.find(held[0], 1) - 1);
  const std::string wanted = descr(type);
  std::string same = held;
  if (!same.empty() && same[0] == '=') same[0] = '<';
  if (same.size() == 3 && same[2] == '1') same[0] = '|';
  if (same == wanted) return;
  throw refusal(
      path, fmt::format("holds elements of type `{}`; {} needs `{}`", held, name(type), wanted));
}

Opened open_npy(const std::string& path, Type type) {
  Opened opened{std::ifstream(path, std::ios::binary)};
  auto& file = opened.file;
  if (!file) throw refusal(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  const std::string header = read_header(file, path);
  check_type(header, type, path);
  std::vector<std::uint64_t> shape;
  if (!read_shape(member(header, "shape"), shape)) {
    throw refusal(path, "has no shape in its header");
  }
  if (member(header, "fortran_order").starts_with("True") && shape.size() > 1) {
    throw refusal(path, "is in Fortran order; save numpy.ascontiguousarray of it");
  }
  for (const auto extent : shape) {
    if (extent != 0 && opened.count > (std::uint64_t{1} << 40) / extent) {
      throw refusal(path, "has more than 2^40 elements");
    }
    opened.count *= extent;
  }
  const auto begin = file.tellg();
  file.seekg(0, std::ios::end);
  const auto rest = static_cast<std::uint64_t>(file.tellg() - begin);
  const std::uint64_t bytes = opened.count * size_of(type);
  if (rest < bytes) {
    throw refusal(path, fmt::format("ends after {} of {} bytes of data", rest, bytes));
  }
  file.seekg(begin);
  return opened;
}

}  // namespace

std::uint64_t npy_count(const std::string& path, Type type) { return open_npy(path, type).count; }

std::vector<std::byte> read_npy(const std::string& path, Type type, std::uint64_t count) {
  Opened opened = open_npy(path, type);
  if (opened.count != count) throw refusal(path, "was changed while this program read it");
  std::vector<std::byte> bytes(count * size_of(type));
  opened.file.read(reinterpret_cast<char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
  if (!opened.file) throw refusal(path, "cannot be read to its end");
  return bytes;
}

void write_npy(const std::string& path, Type type, std::span<const std::byte> bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                   descr(type), bytes.size() / size_of(type));
  const std::size_t preamble = magic.size() + 4;
  const std::size_t unpadded = preamble + header.size() + 1;
  header.append((alignment - unpadded % alignment) % alignment, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << magic << '\x01' << '\x00' << static_cast<char>(header.size() & 0xFF)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: could not be written completely", path));
}

}  // namespace gauntlet::sanitize
