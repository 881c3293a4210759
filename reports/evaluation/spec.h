// The specification file of an evaluation report.
#ifndef REPORTS_EVALUATION_SPEC_H_
#define REPORTS_EVALUATION_SPEC_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "diopi/v1/spec.pb.h"

namespace diopi::reports {

// Parses and checks a textproto of v1::ChipSpec. InvalidArgument, with a line "FILE:LINE: what is wrong, what
// was expected" per finding: syntax, a missing name or source, a figure that is not positive, two figures for
// the same quantity.
absl::StatusOr<v1::ChipSpec> ParseSpec(std::string_view text, std::string_view file_name);

// A file to fill in, with explanations and every data line commented out.
std::string_view SpecTemplate();

}  // namespace diopi::reports

#endif  // REPORTS_EVALUATION_SPEC_H_
