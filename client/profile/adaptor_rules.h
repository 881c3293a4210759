// The adaptor's rules as text, and resolved for a case. The text has the syntax of the public adaptor's
// files.
#ifndef CLIENT_PROFILE_ADAPTOR_RULES_H_
#define CLIENT_PROFILE_ADAPTOR_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "diopi/v1/adaptor.pb.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::profile {

struct DtypeRule {
  Dtype from = v1::Dtype::unsupported;
  Dtype to = v1::Dtype::unsupported;
};

struct LayoutRule {
  std::string argument;  // empty: every argument of the rule's functions
  v1::LibraryLayout layout = v1::CONTIGUOUS;
  int rank = 0;  // of the tensors that the rule is for; 0: any
};

// "(int64)->int32, (float64, int8)->float32". InvalidArgument says what was expected.
absl::StatusOr<std::vector<DtypeRule>> ParseDtypeRules(std::string_view text);
// "NHWC, NDHWC"; "NCHW, input(NHWC)"; "ND".
absl::StatusOr<std::vector<LayoutRule>> ParseLayoutRules(std::string_view text);

// Rules, parsed once. Immutable: thread-safe.
class Adaptor {
 public:
  Adaptor() = default;  // nothing is adapted
  // InvalidArgument when a rule's text is invalid.
  static absl::StatusOr<Adaptor> Make(const std::vector<v1::AdaptorRule>& rules);

  bool empty() const { return rules_.empty(); }
  // Contains only tensors that need a conversion.
  v1::CaseAdaptor For(const v1::Case& c) const;
  // One per rule.
  std::vector<v1::Finding> Rules() const;

 private:
  struct Rule {
    v1::AdaptorRule message;
    std::vector<DtypeRule> dtypes;
    std::vector<LayoutRule> layouts;
    int level = 0;
  };
  std::vector<Rule> rules_;  // coarse ones first
};

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_ADAPTOR_RULES_H_
