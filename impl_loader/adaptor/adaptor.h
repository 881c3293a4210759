// Converts a case to the element types and layouts that a vendor's library takes, and its outputs back to
// those that the caller asked for.
//
// It works on the case and its tensors, before the arguments of the call are made and after its outputs were
// read: canaries, poison and all checks of the library's buffers are as without an adaptor.
#ifndef IMPL_LOADER_ADAPTOR_ADAPTOR_H_
#define IMPL_LOADER_ADAPTOR_ADAPTOR_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "impl_loader/caller/call_frame.h"

namespace diopi::loader {

// One case, adapted. Not thread-safe. The case, its inputs and the adaptor outlive it.
class AdaptedCall {
 public:
  // InvalidArgument when the adaptor names an unknown tensor, a conversion that does not exist, or a layout
  // that a tensor of this many dimensions cannot have.
  static absl::StatusOr<AdaptedCall> Make(const v1::Case& c, const std::vector<InputView>& inputs,
                                          const v1::CaseAdaptor& adaptor);

  // What the library is called with.
  const v1::Case& adapted_case() const { return case_; }
  const std::vector<InputView>& inputs() const { return inputs_; }

  // Not empty: the library must not be called, because it would get other values; the text says which.
  const std::string& not_adaptable() const { return not_adaptable_; }

  // Converts outputs, inouts and tensors that the library allocated back to the caller's element types, if
  // the library gave them in the type it was asked for. Others stay as they are, so that they are judged.
  void TakeBack(std::vector<OutputTensor>* outputs);

  // What was done, in words, a line per tensor.
  const std::vector<std::string>& adapted() const { return adapted_; }
  const std::vector<std::string>& rounded() const { return rounded_; }  // with counts

 private:
  struct Dtypes {
    Dtype own = v1::Dtype::unsupported;
    Dtype library = v1::Dtype::unsupported;
  };
  absl::Status Apply(const v1::CaseAdaptor::Conversion& conversion);
  void ConvertInput(const std::string& key, const Dtypes& dtypes);

  v1::Case case_;
  std::vector<InputView> inputs_;
  std::deque<std::string> values_;           // of converted inputs
  std::map<std::string, Dtypes> converted_;  // by key
  std::set<std::string> allocated_;          // of these, by the library
  std::vector<std::string> adapted_;
  std::vector<std::string> rounded_;
  std::string not_adaptable_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_ADAPTOR_ADAPTOR_H_
