// A case earns its place: which bugs no case of an operator catches, and which cases catch nothing that
// others do not.
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
  std::string mutants_library;  // its injected bugs count beside the generic ones; empty: none
  v1::Selection selection;
};

// By operator. Every bug is one of one function in one dtype: "diopiAdd float16: alpha taken as 1".
absl::StatusOr<std::map<std::string, KillMatrix>> MeasureCases(const CaseValueOptions& options);

// A paragraph an operator; `verbose` lists every case outside the cover.
std::string CaseValueText(const std::map<std::string, KillMatrix>& matrices, bool verbose);

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_CASE_VALUE_H_
