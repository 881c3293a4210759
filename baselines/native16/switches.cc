#include <string_view>

#include "baselines/injected/injected.h"
#include "baselines/native16/narrow.h"

namespace diopi::ops {
namespace {

// Rounds a host scalar that does not fit the type at once, which no contract allows.
constexpr char kAll[] =
    "* !diopiDropout !diopiDropoutInp !diopiMulScalar !diopiMulInpScalar !diopiNormal !diopiUniformInp";
VARIANT(native16_blocks, kAll, "native16", "sums in runs of 32, then in a tree");
VARIANT(native16_pairwise, kAll, "native16", "sums in pairs, pairs of pairs, ...");
VARIANT(native16_lanes, kAll, "native16", "sums in 32 lanes, then in a tree");
VARIANT(native16_reversed, kAll, "native16", "sums in runs of 32 from the last term to the first");
VARIANT(native16_chunks, kAll, "native16",
        "exact sums of 16 terms, each rounded, then in a tree: a matrix unit");
// Injected bugs, which native16 must not hide.
BUG(native16_sequential, 1, kAll, "native16", "sums one term after the other, however many: terms get lost");
BUG(native16_truncates, 1, kAll, "native16", "every result is truncated toward zero");
BUG(native16_truncates_sums, 1, kAll, "native16", "partial sums are truncated toward zero");
BUG(native16_truncates_functions, 1, kAll, "native16", "results of functions are truncated toward zero");
BUG(native16_drops_tail, 1, kAll, "native16", "sums leave out the terms after the last whole run of 32");
BUG(native16_short_sums, 1, kAll, "native16", "partial sums keep 8 bits, in float16 too");
BUG(native16_saturates, 1, kAll, "native16", "overflow of an intermediate result gives the largest number");

NarrowSwitches Chosen() {
  NarrowSwitches on;
  using Order = NarrowSwitches::Order;
  on.order = native16_pairwise     ? Order::kPairwise
             : native16_lanes      ? Order::kLanes
             : native16_reversed   ? Order::kReversed
             : native16_chunks     ? Order::kChunks
             : native16_sequential ? Order::kSequential
                                   : Order::kBlocks;
  on.truncate = static_cast<bool>(native16_truncates);
  on.truncate_sums = static_cast<bool>(native16_truncates_sums);
  on.truncate_functions = static_cast<bool>(native16_truncates_functions);
  on.drop_tail = static_cast<bool>(native16_drops_tail);
  on.saturate = static_cast<bool>(native16_saturates);
  on.short_sums = static_cast<bool>(native16_short_sums);
  return on;
}

}  // namespace

NarrowSwitches& MutableSwitches() {
  static NarrowSwitches switches = Chosen();
  return switches;
}

const NarrowSwitches& TheNarrowSwitches() {
  return MutableSwitches();
}

}  // namespace diopi::ops

// How sums are added from now on: "pairwise", "lanes", "cautious" (in pairs, NaN for a sum that overflows in
// some order), or "", as the environment says. Not while a function runs.
extern "C" __attribute__((visibility("default"))) void diopiNative16ChooseSums(const char* order) {
  using diopi::ops::NarrowSwitches;
  const std::string_view name = order;
  NarrowSwitches& switches = diopi::ops::MutableSwitches();
  switches.order = name.empty()      ? diopi::ops::Chosen().order
                   : name == "lanes" ? NarrowSwitches::Order::kLanes
                                     : NarrowSwitches::Order::kPairwise;
  switches.cautious = name == "cautious";
}
