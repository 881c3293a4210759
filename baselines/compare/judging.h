// Which tensors of a case are judged, how, and in which dtype. The generator and the comparator must agree on
// this.
#ifndef BASELINES_COMPARE_JUDGING_H_
#define BASELINES_COMPARE_JUDGING_H_

#include <string>
#include <string_view>
#include <vector>

#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// One judged tensor.
struct JudgedOutput {
  std::string key;                          // "out", "outs.0"
  Dtype dtype = v1::Dtype::float32;         // of the parts, where these are judged
  v1::Judge::Kind kind = v1::Judge::UNSET;  // as EffectiveKind gives it
  const v1::Judge* judge = nullptr;         // points into the case
  bool library_allocated = false;
  bool in_parts = false;  // complex and computed: each part is judged as a number of its own, see PartsOf
};

// The kind by which an output of `dtype` is really judged: the kinds that depend on rounding noise (MATH,
// ACCUMULATION, COMPOSITION) mean EXACT for types that are neither floating nor complex.
v1::Judge::Kind EffectiveKind(v1::Judge::Kind kind, Dtype dtype);

// The element type of a complex number's parts; other types are their own.
Dtype PartOf(Dtype dtype);

// A complex tensor as its parts: the real and the imaginary ones in a last dimension of 2.
HostTensor PartsOf(const HostTensor& complex);

// The tensor that is judged: the output itself, or its parts, which `parts` then holds.
const HostTensor& AsJudged(const JudgedOutput& output, const HostTensor& tensor, HostTensor* parts);
const HostTensor& AsJudged(const JudgedOutput& output, HostTensor&& tensor, HostTensor* parts) = delete;

// True for the kinds whose reference is r and sigma instead of a tensor in the case's own dtype.
bool HasNoise(v1::Judge::Kind kind);

// True for "name" itself and, where that is a list, for "name.0", "name.1", ...
bool BelongsTo(std::string_view key, std::string_view output);

// The element type that an output of the case has; the case's own where the library chooses.
Dtype OutputDtype(const v1::Case& c, std::string_view key);

// The judged tensors of a case in the order of its judges, lists spread out; null handles and NOT_JUDGED
// outputs are left out. A judge without an output's name covers every output that has none of its own.
std::vector<JudgedOutput> JudgedOutputs(const v1::Case& c);

// The case without the judges of these outputs, which the library may leave unwritten and did; elements of
// lists are included.
v1::Case WithoutJudging(const v1::Case& c, const google::protobuf::RepeatedPtrField<std::string>& keys);

// A number out of an argument: integer, double, bool or scalar. False when it is none of these.
bool NumberOf(const v1::Case& c, std::string_view name, double* value);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_JUDGING_H_
