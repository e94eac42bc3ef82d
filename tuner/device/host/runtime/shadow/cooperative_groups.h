// cooperative_groups: blocks, tiles of a warp, and the lanes of a branch.
#pragma once

#include "../prelude.hpp"

namespace cooperative_groups {

namespace detail {

template <class T>
inline constexpr bool never = false;

/// The operations of a group of lanes of one warp; Group has mask() and lane_of(rank).
template <class Group>
class LaneGroup {
 public:
  void sync(ROOFTUNE_HOST_WHERE) const {
    rooftune_host::warp_collective(rooftune_host::warp_barrier, self().mask(), nullptr, file, line);
  }
  template <class T>
  T shfl(T value, int rank, ROOFTUNE_HOST_WHERE) const {
    return shuffle(value, static_cast<unsigned>(rank) % self().size(), file, line);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, ROOFTUNE_HOST_WHERE) const {
    const unsigned rank = self().thread_rank();
    return shuffle(value, rank >= delta ? rank - delta : rank, file, line);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, ROOFTUNE_HOST_WHERE) const {
    const unsigned rank = self().thread_rank();
    return shuffle(value, rank + delta < self().size() ? rank + delta : rank, file, line);
  }
  int any(int predicate, ROOFTUNE_HOST_WHERE) const {
    return __any_sync(self().mask(), predicate, file, line);
  }
  int all(int predicate, ROOFTUNE_HOST_WHERE) const {
    return __all_sync(self().mask(), predicate, file, line);
  }
  unsigned ballot(int predicate, ROOFTUNE_HOST_WHERE) const {
    return to_ranks(__ballot_sync(self().mask(), predicate, file, line));
  }
  template <class T>
  unsigned match_any(T value, ROOFTUNE_HOST_WHERE) const {
    return to_ranks(__match_any_sync(self().mask(), value, file, line));
  }
  template <class T>
  unsigned match_all(T value, int& all, ROOFTUNE_HOST_WHERE) const {
    return to_ranks(__match_all_sync(self().mask(), value, &all, file, line));
  }
  unsigned num_threads() const { return self().size(); }

  template <class T>
  T shuffle(T value, unsigned rank, const char* file, int line) const {
    return rooftune_host::shuffle(self().mask(), value, self().lane_of(rank), file, line);
  }

 private:
  const Group& self() const { return static_cast<const Group&>(*this); }
  /// Bits of lanes as bits of ranks.
  unsigned to_ranks(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < self().size(); ++rank) {
      ranks |= (lanes >> self().lane_of(rank) & 1U) << rank;
    }
    return ranks;
  }
};

}  // namespace detail

class thread_block {
 public:
  static void sync(ROOFTUNE_HOST_WHERE) { __syncthreads(file, line); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

class grid_group {
 public:
  template <class T = void>
  static void sync() {
    static_assert(detail::never<T>,
                  "a grid-wide sync() has no counterpart on the host device: blocks run in turn");
  }
  static bool is_valid() { return false; }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static dim3 block_index() { return blockIdx; }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
};
inline grid_group this_grid() {
  return {};
}

class coalesced_group : public detail::LaneGroup<coalesced_group> {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  unsigned mask() const { return mask_; }
  unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned thread_rank() const {
    const unsigned lane = rooftune_host::lane_index();
    return static_cast<unsigned>(__popc(mask_ & ((1U << lane) - 1)));
  }
  unsigned lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank != 0; --rank) {
      rest &= rest - 1;
    }
    return static_cast<unsigned>(__builtin_ctz(rest));
  }
  static unsigned meta_group_size() { return 1; }
  static unsigned meta_group_rank() { return 0; }

 private:
  unsigned mask_;
};
inline coalesced_group coalesced_threads(ROOFTUNE_HOST_WHERE) {
  return coalesced_group(rooftune_host::converged_lanes(file, line));
}

/// `Size` threads with neighbouring ranks, all in one warp.
template <unsigned Size, class Parent = void>
class thread_block_tile : public detail::LaneGroup<thread_block_tile<Size, Parent>> {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
  static_assert(Size <= 32, "tiles larger than a warp have no counterpart on the host device");

 public:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)  // NOLINT: as CUDA's
      : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return rooftune_host::lane_index() % Size; }
  static unsigned lane_of(unsigned rank) {
    return rooftune_host::lane_index() / Size * Size + rank;
  }
  static unsigned mask() { return (Size == 32 ? ~0U : (1U << Size % 32) - 1) << lane_of(0); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  T shfl_xor(T value, unsigned lane_mask, ROOFTUNE_HOST_WHERE) const {
    const unsigned rank = thread_rank() ^ lane_mask;
    return this->shuffle(value, rank < Size ? rank : thread_rank(), file, line);
  }

 private:
  unsigned meta_rank_;
  unsigned meta_size_;
};

template <unsigned Size>
inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block& block) {
  return {block.thread_rank() / Size, (block.size() + Size - 1) / Size};
}
template <unsigned Size, unsigned ParentSize, class Parent>
inline thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent>& tile) {
  static_assert(Size <= ParentSize, "a tile of a tile is not larger");
  return {tile.thread_rank() / Size, ParentSize / Size};
}
template <class Group>
inline coalesced_group labeled_partition(const Group& group, int label, ROOFTUNE_HOST_WHERE) {
  return coalesced_group(__match_any_sync(group.mask(), label, file, line));
}
template <class Group>
inline coalesced_group binary_partition(const Group& group, bool predicate, ROOFTUNE_HOST_WHERE) {
  return labeled_partition(group, predicate ? 1 : 0, file, line);
}

template <class Group>
inline void sync(const Group& group, ROOFTUNE_HOST_WHERE) {
  group.sync(file, line);
}
template <class Group>
inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) {
  return group.size();
}

template <class T = void>
inline void this_cluster() {
  static_assert(detail::never<T>, "clusters of blocks have no counterpart on the host device");
}

}  // namespace cooperative_groups
