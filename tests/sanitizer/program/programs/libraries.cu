// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// CUB and Thrust, host code included. `tiles`: algorithms over so many elements that their blocks
// hand values on to each other (decoupled look-back); each prints whether the result is the host's.
// `found`: what Thrust finds as a pair of a truth and a place, or in both of two ranges;
// `found_undefined`: in no values. `unique`: thrust::unique, in place; alone, since it has a race.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>
#include <string>
#include <vector>

namespace {

using Values = thrust::device_vector<int>;

struct Even {
  __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

int* raw(Values& values) { return thrust::raw_pointer_cast(values.data()); }

std::vector<int> on_host(const Values& values, int count) {
  std::vector<int> host(count);
  thrust::copy(values.begin(), values.begin() + count, host.begin());
  return host;
}

/// Asks for the scratch memory's size, then does the work.
template <class F>
void with_scratch(F&& work) {
  std::size_t bytes = 0;
  work(nullptr, bytes);
  thrust::device_vector<char> scratch(bytes);
  work(thrust::raw_pointer_cast(scratch.data()), bytes);
}

void small() {
  constexpr int n = 5000;
  thrust::device_vector<int> values(n);
  thrust::sequence(values.begin(), values.end());
  std::printf("thrust::reduce %d\n", thrust::reduce(values.begin(), values.end()));

  thrust::device_vector<int> result(n);
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, values.begin(), result.begin(), n);
  thrust::device_vector<char> scratch(bytes);
  cudaError_t error = cub::DeviceReduce::Sum(thrust::raw_pointer_cast(scratch.data()), bytes,
                                             values.begin(), result.begin(), n);
  const int sum = result[0];
  std::printf("cub::DeviceReduce::Sum %d, %s\n", sum, cudaGetErrorName(error));

  cub::DeviceScan::InclusiveSum(nullptr, bytes, values.begin(), result.begin(), n);
  scratch.resize(bytes);
  error = cub::DeviceScan::InclusiveSum(thrust::raw_pointer_cast(scratch.data()), bytes,
                                        values.begin(), result.begin(), n);
  const int last = result[n - 1];
  std::printf("cub::DeviceScan::InclusiveSum %d, %s\n", last, cudaGetErrorName(error));

  std::vector<int> mixed(1000);
  for (int k = 0; k < 1000; ++k) mixed[k] = (k * 7919) % 1000;
  thrust::device_vector<int> sorted(mixed.begin(), mixed.end());
  thrust::sort(sorted.begin(), sorted.end());
  std::printf("thrust::sort %d %d %d\n", static_cast<int>(sorted[0]), static_cast<int>(sorted[500]),
              static_cast<int>(sorted[999]));
}

void tell(const char* name, bool right) { std::printf("%s %s\n", name, right ? "right" : "wrong"); }

constexpr int n = 12000;

void tiles() {
  std::vector<int> mixed(n), sorted, sums(n), even, runs(n);
  for (int k = 0; k < n; ++k) mixed[k] = static_cast<int>(k * 7919LL % 10007), runs[k] = k / 5;
  sorted = mixed;
  std::sort(sorted.begin(), sorted.end());
  std::partial_sum(mixed.begin(), mixed.end(), sums.begin());
  std::copy_if(mixed.begin(), mixed.end(), std::back_inserter(even), Even{});
  Values in(mixed), out(n), values(n), values_out(n), count(1), keys(runs), ones(n, 1);
  thrust::sequence(values.begin(), values.end());

  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceRadixSort::SortKeys(scratch, bytes, raw(in), raw(out), n);
  });
  tell("cub::DeviceRadixSort::SortKeys", on_host(out, n) == sorted);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceRadixSort::SortPairs(scratch, bytes, raw(in), raw(out), raw(values), raw(values_out),
                                    n);
  });
  const std::vector<int> order = on_host(values_out, n);
  tell("cub::DeviceRadixSort::SortPairs", on_host(out, n) == sorted &&
                                              mixed[order[0]] == sorted[0] &&
                                              mixed[order[n - 1]] == sorted[n - 1]);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceScan::InclusiveSum(scratch, bytes, raw(in), raw(out), n);
  });
  tell("cub::DeviceScan::InclusiveSum", on_host(out, n) == sums);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceSelect::If(scratch, bytes, raw(in), raw(out), raw(count), n, Even{});
  });
  tell("cub::DeviceSelect::If", on_host(out, static_cast<int>(even.size())) == even);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceRunLengthEncode::Encode(scratch, bytes, raw(keys), raw(out), raw(values_out),
                                       raw(count), n);
  });
  tell("cub::DeviceRunLengthEncode::Encode",
       count[0] == n / 5 && on_host(values_out, n / 5) == std::vector<int>(n / 5, 5));
  with_scratch([&](void* scratch, std::size_t& bytes) {
    cub::DeviceReduce::ReduceByKey(scratch, bytes, raw(keys), raw(out), raw(ones), raw(values_out),
                                   raw(count), ::cuda::std::plus<>{}, n);
  });
  tell("cub::DeviceReduce::ReduceByKey",
       count[0] == n / 5 && on_host(values_out, n / 5) == std::vector<int>(n / 5, 5));

  Values own = in;
  thrust::sort(own.begin(), own.end());
  tell("thrust::sort", on_host(own, n) == sorted);
  own = in;
  thrust::sort_by_key(own.begin(), own.end(), values.begin());
  tell("thrust::sort_by_key", on_host(own, n) == sorted);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  tell("thrust::inclusive_scan", on_host(out, n) == sums);
  const auto end = thrust::unique_copy(keys.begin(), keys.end(), out.begin());
  tell("thrust::unique_copy", end - out.begin() == n / 5);
}

void unique() {
  Values values(n);
  thrust::sequence(values.begin(), values.end());
  tell("thrust::unique", thrust::unique(values.begin(), values.end()) == values.end());
}

void found() {
  for (const int size : {1000, n}) {
    Values values(size);
    thrust::sequence(values.begin(), values.end());
    const auto begin = values.begin(), end = values.end();
    tell("thrust::all_of", !thrust::all_of(begin, end, Even()));
    tell("thrust::find", thrust::find(begin, end, size / 2) == begin + size / 2);
    Values others(size), both(size);
    thrust::sequence(others.begin(), others.end(), 5);
    const auto last =
        thrust::set_intersection(begin, end, others.begin(), others.end(), both.begin());
    tell("thrust::set_intersection", last == both.end() - 5);
  }
}

void found_undefined() {
  int* values = nullptr;
  cudaMalloc(&values, n * sizeof(int));
  thrust::any_of(thrust::device, values, values + n, Even());
  int* half_written = nullptr;
  cudaMalloc(&half_written, 16 * sizeof(int));
  cudaMemset(half_written, 0, 8 * sizeof(int));
  int host[16];
  const auto begin = thrust::device_pointer_cast(half_written);
  thrust::copy(begin, begin + 16, host);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  what == "tiles"             ? tiles()
  : what == "unique"          ? unique()
  : what == "found"           ? found()
  : what == "found_undefined" ? found_undefined()
                              : small();
}
