// The inner loop of pointwise.h, built for several instruction sets; the best one is chosen at run time.
// All give the same bits as adding up Judge (rule.h) element by element: pointwise_test.
#ifndef BASELINES_COMPARE_POINTWISE_KERNEL_H_
#define BASELINES_COMPARE_POINTWISE_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "baselines/compare/pointwise.h"

namespace diopi::baselines {

inline constexpr size_t kLanes = 8;    // sums run in eight lanes, by index modulo 8, whatever the machine
inline constexpr size_t kChunk = 512;  // elements between two looks at mismatches and at the largest z

// A run of elements: the first of each column, unaligned. Sigma is not null.
struct Stretch {
  Dtype dtype = v1::Dtype::float32;
  const uint8_t* actual = nullptr;
  OracleView oracle;
};

// The sums of each lane.
struct LaneSums {
  using Lanes = std::array<double, kLanes>;
  alignas(64) Lanes z2{};
  alignas(64) Lanes d2{};
  alignas(64) Lanes ideal2{};
  alignas(64) Lanes bias{};
  alignas(64) Lanes radial{};
  alignas(64) Lanes max_z2{};
  alignas(64) Lanes max_abs{};
  alignas(64) Lanes max_ulp{};
  alignas(64) Lanes max_rel{};
};

// What is stored for each element of a chunk until the chunk is done.
struct Chunk {
  alignas(64) std::array<double, kChunk> z2;
  alignas(64) std::array<uint64_t, kChunk> bin;            // of the histogram
  alignas(64) std::array<uint8_t, kChunk / kLanes> bad{};  // a bit per element
  bool any_bad = false;
};

// Judges the first `count` elements, a multiple of kLanes up to kChunk. Adds to `sums` and to these counts of
// `tally`: marginal, nan, inf, flushed, zeros, leaning, public_mismatches; takes those that are not from
// `finite`. Sets their entries in `chunk`, whose mismatch flags must be clear before.
void TallyChunk(const Stretch& stretch, const PointwiseRule& rule, size_t count, Chunk* chunk, LaneSums* sums,
                Tally* tally);

// The same for the one element at `at`.
void TallyOne(const Stretch& stretch, const PointwiseRule& rule, size_t at, Chunk* chunk, LaneSums* sums,
              Tally* tally);

// For tests: the instruction sets that this machine has, and the choice of one of them for all later calls;
// the empty name means the best one. Must not run while another thread tallies.
std::vector<std::string> InstructionSets();
void UseInstructionSet(const std::string& name);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_POINTWISE_KERNEL_H_
