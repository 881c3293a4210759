// A case that goes through the adaptor, as the library sees it and as it is judged: client/profile/GUIDE.md,
// "How an adapted case is judged".
//
// Integers become narrower without loss or the case is not called, so they stay as they are here. Floating
// numbers are rounded on their way, and f(x) of rounded x is another number: everything that the verdict
// rests on (saved tensors, r and sigma) is computed anew from what the library really got.
#ifndef CLIENT_PROFILE_JUDGED_CASE_H_
#define CLIENT_PROFILE_JUDGED_CASE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cases/base/tensor.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/in_process.h"

namespace diopi::profile {

struct JudgedCase {
  v1::Case c;
  TensorMap inputs;
  TensorMap references;
  TensorMap actual;
  // What the library's element types cannot hold and is therefore not judged, in words, a line an output.
  std::vector<std::string> not_asked;
};

// Whether the library gets or gives some tensor of the case in a narrower floating type.
bool NarrowsFloats(const v1::Case& c, const v1::CaseAdaptor& adaptor);

// Why the library cannot be asked this case at all. Empty: it can.
// - A scalar stands for an element, and the type into which such elements are converted cannot hold it.
// - Numbers are drawn that this type cannot hold.
// - Complex numbers, which are not converted, have parts that would be.
std::string WhyNotAsked(const v1::Case& c, const v1::CaseAdaptor& adaptor);

// Replaces the saved tensors among `inputs` by those of the reference's forward on what the library gets, in
// the case's own types. Errors are the reference's.
absl::Status HandOverSavedTensors(loader::InProcessLibrary& reference, const v1::Case& c,
                                  const v1::CaseAdaptor& adaptor, TensorMap* inputs);

// Tensors that the library got and gave in a narrower floating type have that type here; everything else,
// integers included, stays as the case has it. `actual` are the outputs in the caller's types.
JudgedCase AsHandedOver(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const v1::CaseAdaptor& adaptor);

// The references become what `reference` makes of the inputs as they were handed over. Errors are its own.
absl::Status RecomputeReferences(loader::InProcessLibrary& reference, JudgedCase* judged);

// Integers of an output that the type which the library was asked for cannot hold are not asked: they are set
// to what is expected. False when no element is left to judge.
bool LeaveOutWhatDoesNotFit(const v1::CaseAdaptor& adaptor, JudgedCase* judged);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_JUDGED_CASE_H_
