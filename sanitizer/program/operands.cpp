// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "base/scalar.hpp"
#include "sanitizer/program/product.hpp"

namespace gauntlet::runtime {
namespace {

/// Numbers of one type: one, or the two of a complex number.
struct Element {
  cudaDataType type;
  Type part;
  std::uint64_t parts = 1;
};
constexpr Element elements[] = {{CUDA_R_8I, Type::i8},      {CUDA_R_16F, Type::f16},
                                {CUDA_R_16BF, Type::bf16},  {CUDA_R_32F, Type::f32},
                                {CUDA_R_32I, Type::i32},    {CUDA_R_64F, Type::f64},
                                {CUDA_C_32F, Type::f32, 2}, {CUDA_C_64F, Type::f64, 2}};

/// nullptr: it is not computed with.
const Element* element_of(cudaDataType type) {
  const auto* const found = std::ranges::find(elements, type, &Element::type);
  return found == std::end(elements) ? nullptr : found;
}

std::complex<double> load(const Element& of, const std::byte* at) {
  return {to_double(of.part, at), of.parts == 2 ? to_double(of.part, at + size_of(of.part)) : 0};
}

/// Whole numbers of 8 bits are rounded and saturate, sums of them wrap as 32 bits do.
std::uint64_t bits_of(Type type, double value) {
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(value);
  if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (is_float(type)) return float_bits(type, value);
  if (type == Type::i8) value = std::clamp(std::nearbyint(value), -128.0, 127.0);
  return truncate(type, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
}

void store(const Element& of, std::complex<double> value, std::byte* at) {
  store_bits(of.part, at, bits_of(of.part, value.real()));
  if (of.parts == 2) store_bits(of.part, at + size_of(of.part), bits_of(of.part, value.imag()));
}

/// As the heap looks at it; not empty.
Heap::Operand in_bytes(const Matrix& m, Address at) {
  const std::uint64_t bytes = element_bytes(m.type);
  return {m.role,
          at,
          bytes,
          static_cast<std::uint64_t>(m.rows),
          static_cast<std::uint64_t>(m.columns),
          static_cast<std::uint64_t>(m.step) * bytes,
          static_cast<std::uint64_t>(m.distance) * bytes};
}

void add_ranges(Heap::Operand of, std::uint8_t way, std::vector<simt::AccessRange>& to) {
  if (of.columns > 1 && of.distance < of.step) {  // it lies row by row
    std::swap(of.rows, of.columns);
    std::swap(of.step, of.distance);
  }
  const bool whole_columns = of.step == of.element_bytes;
  for (std::uint64_t column = 0; column < of.columns; ++column) {
    const std::uint64_t pieces = whole_columns ? 1 : of.rows;
    const std::uint64_t bytes = whole_columns ? of.rows * of.step : of.element_bytes;
    for (std::uint64_t k = 0; k < pieces; ++k) {
      const Address at = of.at + column * of.distance + k * of.step;
      if (!to.empty() && to.back().end == at) {
        to.back().end = at + bytes;
      } else {
        to.push_back({at, at + bytes, way});
      }
    }
  }
}

}  // namespace

std::uint64_t element_bytes(cudaDataType type) {
  const Element* const of = element_of(type);
  return of == nullptr ? 0 : size_of(of->part) * of->parts;
}

Matrix vector(std::string_view role, cudaDataType type, std::int64_t n, const void* at,
              std::int64_t step) {
  return {.role = role,
          .type = type,
          .rows = n,
          .step = std::abs(step),
          .at = reinterpret_cast<Address>(at),
          .reversed = step < 0};
}

std::optional<Address> Operands::address(const Matrix& m, std::int64_t of_batch) {
  if (!m.listed) {
    return m.at + static_cast<Address>(of_batch * m.stride) * element_bytes(m.type);
  }
  const std::string role = std::string(m.role) + "array";
  const Address at = m.at + static_cast<Address>(of_batch) * sizeof(Address);
  const Heap::Operand entry{role, at, sizeof(Address), 1, 1, sizeof(Address), 0};
  const Array* const array = state_.heap.reach(call_, entry);
  if (array == nullptr) return std::nullopt;
  state_.heap.tell_undefined_operand(call_, *array, entry);
  if (!state_.heap.memory.initialised(at, sizeof at)) return std::nullopt;
  add_ranges(entry, simt::weak_read, reads_[array->base]);
  Address listed = 0;
  state_.heap.memory.read(at, std::as_writable_bytes(std::span(&listed, 1)));
  return listed;
}

const Array* Operands::reach(const Matrix& m, Address at, bool reads) {
  const Heap::Operand operand = in_bytes(m, at);
  const Array* const array = state_.heap.reach(call_, operand);
  if (array == nullptr) return nullptr;
  if (reads) state_.heap.tell_undefined_operand(call_, *array, operand);
  auto& ranges = reads ? reads_ : writes_;
  add_ranges(operand, reads ? simt::weak_read : simt::weak_write, ranges[array->base]);
  if (m.apart) add_ranges(operand, simt::weak_read, apart_[array->base]);
  return array;
}

template <class T>
bool Operands::read(const Matrix& m, std::int64_t of_batch, std::vector<T>& values) {
  values.clear();
  if (m.empty()) return true;
  const auto at = address(m, of_batch);
  if (!at || reach(m, *at, true) == nullptr) return false;
  const Heap::Operand operand = in_bytes(m, *at);
  std::vector<std::byte> all(operand.extent());
  state_.heap.memory.read(*at, all);
  values.reserve(operand.rows * operand.columns);
  const Element& of = *element_of(m.type);
  for (std::uint64_t c = 0; c < operand.columns; ++c) {
    for (std::uint64_t r = 0; r < operand.rows; ++r) {
      const std::byte* const from = all.data() + c * operand.distance + r * operand.step;
      values.push_back(scalar_as<T>(load(of, from)));
    }
  }
  if (m.reversed) std::ranges::reverse(values);
  return true;
}

template <class T>
bool Operands::write(const Matrix& m, std::int64_t of_batch, const std::vector<T>& values) {
  if (m.empty()) return true;
  const auto at = address(m, of_batch);
  if (!at || reach(m, *at, false) == nullptr) return false;
  const Heap::Operand operand = in_bytes(m, *at);
  const Element& of = *element_of(m.type);
  const std::uint64_t bytes = operand.element_bytes;
  std::vector<std::byte> column(operand.rows * bytes);
  for (std::uint64_t c = 0; c < operand.columns; ++c) {
    for (std::uint64_t r = 0; r < operand.rows; ++r) {
      const std::uint64_t from = m.reversed ? operand.rows - 1 - r : r;
      store(of, values[c * operand.rows + from], column.data() + r * bytes);
    }
    const Address to = *at + c * operand.distance;
    if (operand.step == bytes) {
      state_.heap.memory.write(to, column);
      continue;
    }
    for (std::uint64_t r = 0; r < operand.rows; ++r) {
      state_.heap.memory.write(to + r * operand.step, {column.data() + r * bytes, bytes});
    }
  }
  return true;
}

#define GAUNTLET_OPERANDS_OF(T)                                               \
  template bool Operands::read(const Matrix&, std::int64_t, std::vector<T>&); \
  template bool Operands::write(const Matrix&, std::int64_t, const std::vector<T>&);
GAUNTLET_OPERANDS_OF(float)
GAUNTLET_OPERANDS_OF(double)
GAUNTLET_OPERANDS_OF(std::complex<float>)
GAUNTLET_OPERANDS_OF(std::complex<double>)
#undef GAUNTLET_OPERANDS_OF

std::optional<std::complex<double>> Operands::scalar(const Scalar& scalar) {
  if (!scalar.on_device) return scalar.value;
  std::vector<std::complex<double>> value;
  if (!read(*scalar.on_device, 0, value)) return std::nullopt;
  return value.front();
}

void Operands::note() {
  for (auto& [array, ranges] : writes_) {
    if (const SharedBytes twice = unite(ranges); twice.bytes != 0 && state_.options.races) {
      state_.order.overlap(operation_, array, twice.first, twice.bytes,
                           MistakeKind::race_write_write, "the results of a batch");
    }
    const auto read = apart_.find(array);
    if (read == apart_.end() || !state_.options.races) continue;
    unite(read->second);
    if (const SharedBytes both = common(ranges, read->second); both.bytes != 0) {
      state_.order.overlap(operation_, array, both.first, both.bytes, MistakeKind::race_read_write,
                           "the factors and the result of a product");
    }
  }
  for (auto& [array, ranges] : reads_) {
    unite(ranges);
    state_.order.access(operation_, array, std::move(ranges));
  }
  for (auto& [array, ranges] : writes_) state_.order.access(operation_, array, std::move(ranges));
  reads_.clear();
  writes_.clear();
  apart_.clear();
}

std::optional<std::complex<double>> host_scalar(State& s, std::string_view call,
                                                std::string_view role, cudaDataType type,
                                                const void* at) {
  std::array<std::byte, sizeof(std::complex<double>)> bytes{};
  if (!s.heap.copy(call, bytes.data(), Heap::Side::host, at, Heap::Side::host, element_bytes(type),
                   role, role)) {
    return std::nullopt;
  }
  return load(*element_of(type), bytes.data());
}

bool put_host_scalar(State& s, std::string_view call, cudaDataType type, void* at,
                     std::complex<double> value) {
  std::array<std::byte, sizeof(std::complex<double>)> bytes{};
  store(*element_of(type), value, bytes.data());
  return s.heap.copy(call, at, Heap::Side::host, bytes.data(), Heap::Side::host,
                     element_bytes(type), "result", "result");
}

}  // namespace gauntlet::runtime
