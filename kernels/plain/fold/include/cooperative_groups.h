#pragma once
namespace cooperative_groups {
struct thread_block {};
thread_block this_thread_block();
template <int size>
struct thread_block_tile {
  template <class T>
  T shfl_down(T value, unsigned offset) const;
};
template <int size>
thread_block_tile<size> tiled_partition(const thread_block& block);
}  // namespace cooperative_groups
