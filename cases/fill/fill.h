// The input generator: Philox4x32-10 counters keyed by the case's point and the argument's name. The same
// bits on every machine: IEEE +, -, *, / and sqrt only, no libm, no contraction. The value of an element
// depends on its row-major index alone (elements that share storage count once), so any slice can be
// computed alone, and two layouts of one tensor hold the same numbers.
#ifndef CASES_FILL_FILL_H_
#define CASES_FILL_FILL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cases/base/tensor.h"
#include "cases/fill/block_fill.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/tensor.pb.h"

namespace diopi {

// Part of every case hash; raised whenever a fill gives other values than before.
inline constexpr uint32_t kGeneratorVersion = 1;

// The values of `spec`, dense and row-major, in its dtype. Elements that share storage hold the same value.
// `key` is GeneratorKey(case, argument). InvalidArgument for a fill that does not fit the dtype (a range
// outside an integer type), naming the field. Into integers normal, lognormal are rounded and saturated,
// uniform is floored; specials that an integer cannot hold (NaN) are left out. `full` in a floating type
// takes every binade of the finite numbers.
absl::StatusOr<HostTensor> FillTensor(const v1::TensorSpec& spec, uint64_t key);

// 64 bits from the operator, the point's label, the dtype and the argument's key: functions of one operator
// at one point get the same inputs (in-place equals out-of-place; a backward gets its forward's input). The
// key of an argument is Argument.alias, or its name where that is empty, with ".i" in a list.
uint64_t GeneratorKey(const v1::Case& c, std::string_view argument_key);

// Those inputs of a large case that are filled in blocks, so that they can be made part by part, by key.
// None for other cases, none whose elements share storage, and none that an output holds before the call.
using BlockInputs = std::map<std::string, std::unique_ptr<BlockTensor>>;
absl::StatusOr<BlockInputs> OpenBlockInputs(const v1::Case& c);

// All generated inputs of a case (those with `from` are left out), except those `without`.
absl::StatusOr<TensorMap> FillInputs(const v1::Case& c, const BlockInputs& without = {});

// The errors of FillInputs, without generating anything.
absl::Status CheckInputs(const v1::Case& c);

// The keys of these inputs, without generating them.
std::set<std::string> GeneratedInputs(const v1::Case& c);

// The default fill: normal{0,1} for floating types, full range for integers up to 16 bits, [-1000, 1000] for
// wider integers, bernoulli{0.5} for bool.
v1::Fill DefaultFill(Dtype dtype);

}  // namespace diopi

#endif  // CASES_FILL_FILL_H_
