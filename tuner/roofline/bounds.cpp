// The bounds: their names, and what may be done against each.
#include <algorithm>
#include <array>

#include "tuner/roofline/roofline.hpp"

namespace rooftune {
namespace {

struct BoundRow {
  Bound bound;
  std::string_view name;
  std::vector<Remedy> remedies;
};

const std::vector<BoundRow>& table() {
  using R = Role;
  static const std::vector<BoundRow> rows = {
      {Bound::dram,
       "dram",
       {{"reuse more from caches and registers: larger tiles, blocking",
         {R::tile, R::block, R::cache}},
        {"move fewer bytes: fuse kernels, a shorter precision", {R::fusion, R::precision}},
        {"wider accesses", {R::vector}}}},
      {Bound::l2,
       "l2",
       {{"reuse more above L2: larger tiles, staging in shared memory",
         {R::tile, R::cache, R::block}},
        {"wider accesses, a layout that reads whole sectors", {R::vector, R::layout}}}},
      {Bound::l1,
       "l1",
       {{"reuse more in registers: more outputs a thread", {R::tile, R::unroll}},
        {"stage in shared memory", {R::cache, R::stages}},
        {"wider accesses", {R::vector, R::layout}}}},
      {Bound::shared,
       "shared",
       {{"reuse more in registers: more outputs a thread", {R::tile, R::unroll}},
        {"wider accesses to shared memory, fewer conflicts", {R::vector, R::padding, R::layout}},
        {"leave to the caches what gains nothing from staging", {R::cache}}}},
      {Bound::access,
       "access",
       {{"neighbouring threads read neighbouring words: layout, block shape",
         {R::layout, R::block, R::tile}},
        {"wider, aligned accesses", {R::vector, R::padding}},
        {"stage through shared memory", {R::cache}}}},
      {Bound::bank_conflicts,
       "bank_conflicts",
       {{"pad or swizzle rows of shared memory", {R::padding, R::layout}},
        {"another width of access or shape of block", {R::vector, R::block}}}},
      {Bound::fp,
       "fp",
       {{"tensor cores or a shorter precision", {R::precision}},
        {"an algorithm with fewer operations", {R::algorithm}}}},
      {Bound::tensor,
       "tensor",
       {{"a shorter precision", {R::precision}},
        {"an algorithm with fewer operations", {R::algorithm}}}},
      {Bound::tensor_unused,
       "tensor_unused",
       {{"use the tensor cores", {R::precision, R::algorithm}},
        {"tiles that suit their fragments", {R::tile, R::stages}}}},
      {Bound::special,
       "special",
       {{"share one special function among more results: more outputs a thread",
         {R::tile, R::unroll, R::fusion}},
        {"arithmetic without special functions or conversions",
         {R::algorithm, R::precision, R::layout}}}},
      {Bound::issue,
       "issue",
       {{"fewer instructions for the same work: unroll, more outputs a thread",
         {R::unroll, R::tile}},
        {"wider loads and packed arithmetic", {R::vector, R::precision}}}},
      {Bound::fetch,
       "fetch",
       {{"shorter code: less unrolling, fewer outputs a thread", {R::unroll, R::tile}}}},
      {Bound::divergence,
       "divergence",
       {{"let the threads of a warp agree: block shape, padding instead of bounds checks",
         {R::block, R::padding, R::layout}},
        {"another mapping of work to threads", {R::algorithm}}}},
      {Bound::spills,
       "spills",
       {{"more registers a thread: looser launch bounds", {R::launch_bounds, R::block}},
        {"fewer live values: smaller tiles, less unrolling", {R::tile, R::unroll, R::stages}}}},
      {Bound::occupancy,
       "occupancy",
       {{"fewer registers a thread: launch bounds, smaller tiles, less unrolling",
         {R::launch_bounds, R::tile, R::unroll}},
        {"less shared memory a block, another block size", {R::block, R::stages, R::cache}}}},
      {Bound::latency,
       "latency",
       {{"more independent work a thread: unroll, more outputs", {R::unroll, R::tile, R::vector}},
        {"more warps in flight", {R::block, R::launch_bounds}},
        {"overlap loads with arithmetic: more stages", {R::stages, R::cache}}}},
      {Bound::barriers,
       "barriers",
       {{"longer stretches between barriers: deeper tiles, more stages",
         {R::tile, R::stages, R::unroll}},
        {"smaller blocks, so that fewer warps wait", {R::block}}}},
      {Bound::grid_size,
       "grid_size",
       {{"more blocks: smaller tiles and blocks", {R::tile, R::block}},
        {"split the inner dimension", {R::split}}}},
      {Bound::tail,
       "tail",
       {{"a number of blocks that fills the last wave: other tiles or blocks", {R::tile, R::block}},
        {"split work finer, or let blocks take several tiles", {R::split, R::launch_bounds}}}},
      {Bound::launch,
       "launch",
       {{"more work a launch: fuse kernels, a larger problem", {R::fusion, R::algorithm}},
        {"fewer, larger blocks", {R::tile, R::block}}}},
  };
  return rows;
}

}  // namespace

std::string_view to_string(Bound bound) {
  return table()[static_cast<std::size_t>(bound)].name;
}

std::optional<Bound> bound_from(std::string_view name) {
  const auto found = std::find_if(table().begin(), table().end(),
                                  [&](const BoundRow& row) { return row.name == name; });
  return found == table().end() ? std::nullopt : std::optional(found->bound);
}

const std::vector<Remedy>& remedies_of(Bound bound) {
  return table()[static_cast<std::size_t>(bound)].remedies;
}

}  // namespace rooftune
