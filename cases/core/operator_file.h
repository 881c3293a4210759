// Parses, checks and expands one operator's file and keeps its line numbers. catalog.h is the public
// interface.
#ifndef CASES_CORE_OPERATOR_FILE_H_
#define CASES_CORE_OPERATOR_FILE_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "cases/base/textproto.h"
#include "cases/core/cover.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

struct ParsedOperator {
  v1::OperatorFile file;
  SourceLines lines;

  // "FILE:LINE: " for the point with this label; "FILE: " when a cover made it.
  std::string PointLine(const std::string& label) const;
};

// Syntax errors as "FILE:LINE:COLUMN: ...", then CheckOperator.
absl::StatusOr<ParsedOperator> ParseOperator(std::string_view text, std::string_view file_name);

// Checks all that can be checked without expanding. Every error is one line of the message.
absl::Status CheckOperator(const v1::OperatorFile& op, const SourceLines& lines);

// Expand, with line numbers in its messages. `covers`, if given, receives what each cover reaches besides its
// cases. With `part`, cases outside it may be left out.
absl::StatusOr<std::vector<v1::Case>> ExpandOperator(const v1::OperatorFile& op, const SourceLines& lines,
                                                     std::vector<CoverCases>* covers = nullptr,
                                                     const Part* part = nullptr);

// The dtypes of a list and of named sets, each once, in order.
template <typename Codes, typename Sets>
std::vector<Dtype> DtypesOf(const Codes& codes, const Sets& sets) {
  std::vector<Dtype> result;
  const auto add = [&](Dtype dtype) {
    if (std::find(result.begin(), result.end(), dtype) == result.end()) result.push_back(dtype);
  };
  for (int code : codes) add(static_cast<Dtype>(code));
  for (int set : sets) {
    for (Dtype dtype : MembersOf(static_cast<v1::DtypeSet::Name>(set))) add(dtype);
  }
  return result;
}

}  // namespace diopi::cases

#endif  // CASES_CORE_OPERATOR_FILE_H_
