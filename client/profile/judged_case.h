// A case that goes through the adaptor, as the library sees it and as it is judged: client/profile/GUIDE.md,
// "How an adapted case is judged".
//
// Integers are narrowed without loss, or the case is not called, so they stay unchanged here. Floating
// numbers are rounded by the conversion, and f(x) of a rounded x is another number: everything that the
// verdict rests on (saved tensors, r and sigma) is recomputed from the values that the library received.
#ifndef CLIENT_PROFILE_JUDGED_CASE_H_
#define CLIENT_PROFILE_JUDGED_CASE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/tensor.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::profile {

struct JudgedCase {
  v1::Case c;
  TensorMap inputs;
  TensorMap references;
  TensorMap actual;
  // What is not judged because the library's element types cannot hold it, one per output.
  std::vector<v1::Finding> not_asked;
};

// Whether the library gets or gives some tensor of the case in a narrower floating type.
bool NarrowsFloats(const v1::Case& c, const v1::CaseAdaptor& adaptor);

// Why the library cannot be called with this case. Empty: it can.
// - A scalar stands for an element, and the type to which such elements are converted cannot hold it.
// - Numbers are drawn that this type cannot hold.
// - Complex numbers are not converted, but have parts of a type that is.
std::string WhyNotAsked(const v1::Case& c, const v1::CaseAdaptor& adaptor);

// Replaces the saved tensors among `inputs` by those of the reference's forward on the values that the
// library gets, in the case's own types. Errors are the reference's.
absl::Status HandOverSavedTensors(loader::InProcessLibrary& reference, const v1::Case& c,
                                  const v1::CaseAdaptor& adaptor, TensorMap* inputs);

// Tensors that the library got and gave in a narrower floating type have that type here; everything else,
// integers included, stays as the case has it. `actual` are the outputs in the caller's types.
JudgedCase AsConverted(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                       const TensorMap& actual, const v1::CaseAdaptor& adaptor);

// Recomputes the references with `reference` from the inputs that the library received. Errors are the
// reference's.
absl::Status RecomputeReferences(loader::InProcessLibrary& reference, JudgedCase* judged);

// Excludes integers of an output that the library's type cannot hold: sets them to the expected value. False
// when no element is left to judge.
bool LeaveOutWhatDoesNotFit(const v1::CaseAdaptor& adaptor, JudgedCase* judged);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_JUDGED_CASE_H_
