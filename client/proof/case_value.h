// Measures which bugs no case of an operator catches, and which cases catch nothing that others do not.
#ifndef CLIENT_PROOF_CASE_VALUE_H_
#define CLIENT_PROOF_CASE_VALUE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "client/proof/kill_matrix.h"
#include "diopi/v1/selection.pb.h"

namespace diopi::proof {

struct CaseValueOptions {
  std::string reference_library;
  std::string bugs_library;  // adds its injected bugs to the generic ones; empty: none
  v1::Selection selection;
};

// Results by operator. Each bug belongs to one function and one dtype: "diopiAdd float16: alpha taken as 1".
absl::StatusOr<std::map<std::string, KillMatrix>> MeasureCases(const CaseValueOptions& options);

// One paragraph per operator; `verbose` lists every case outside the cover.
std::string CaseValueText(const std::map<std::string, KillMatrix>& matrices, bool verbose);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_CASE_VALUE_H_
