// Results that are accepted beside the reference's own (v1::Reading): what the generator stores for them, and
// how the comparator uses it.
//
// ROUNDED_SCALARS: "rounded_scalars(alpha):KEY", "rounded_scalars(alpha):KEY.sigma", ...: a second complete
//   reference, of the call with rounded numbers. A case passes if all of its outputs pass by one reference.
// SPREAD_NAN: "KEY.spread_nan" (uint8, 1: NaN is accepted too). Which elements come out as NaN depends on the
//   sizes of tiles, so each is accepted by itself. Where the reference has NaN, NaN is still required.
// OPPOSITE_SIGNS: nothing is stored. Free signs are set to the reference's before the gates see them, a
//   column's together with its row's, so that one without the other is wrong.
#ifndef BASELINES_COMPARE_READINGS_H_
#define BASELINES_COMPARE_READINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "cases/base/tensor.h"
#include "cases/core/reference_key.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// The number of a floating dtype that is nearest to `value`.
double RoundedTo(Dtype dtype, double value);

// The case's reading of this kind, or nullptr.
const v1::Reading* FindReading(const v1::Case& c, v1::Reading::Kind kind);

// "rounded_scalars(other,alpha)", "spread_nan"
std::string ReadingName(const v1::Reading& reading);

// "rounded_scalars(alpha):out.sigma"
std::string ReadingKey(const v1::Reading& reading, std::string_view key);

// The references of another reading under the keys of the reference's own; empty where there are none.
// KEY.device is kept: the device reference may have either.
TensorMap ReferencesOf(const v1::Reading& reading, const TensorMap& references);

// Replaces every NaN in `actual` that only SPREAD_NAN accepts by the reference's value. Returns how many.
int64_t TakeSpreadNan(const HostTensor& expected, const HostTensor& mask, HostTensor* actual);

// OPPOSITE_SIGNS: negates each column of args[0] that points away from the reference's, and with it the row
// of args[1]; where args[0] is not computed, each such row of args[1]. `part`: their keys in `actual`.
// Returns how many; matrices of another shape or dtype than the reference's stay unchanged.
int64_t TakeOppositeSigns(const v1::Reading& reading, const TensorMap& references, ReferencePart part,
                          TensorMap* actual);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_READINGS_H_
