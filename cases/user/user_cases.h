// A user's own cases: a folder of operator files (cases/ops/GUIDE.md is their manual), read at run time and
// checked as ours are at build time.
#ifndef CASES_USER_USER_CASES_H_
#define CASES_USER_USER_CASES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// Every *.textproto in `folder` and the folders below it, in order of their paths. Each is parsed, checked
// and expanded, and the inputs of its cases are made where no tensor of the case is above 1 MiB. A file may
// add points to an operator of ours by its name, with a label of their own: no case may have the id of one of
// ours or of another file's.
// NotFound for a folder that does not exist or has no such file; InvalidArgument with every error, one per
// line, as "FILE:LINE: what is wrong, what was expected".
absl::StatusOr<std::vector<v1::OperatorFile>> ReadUserCases(const std::string& folder);

// The built-in operators, and those of `folder`, which may be empty.
absl::StatusOr<std::unique_ptr<Catalog>> LoadCatalog(const std::string& folder);

}  // namespace diopi::cases

#endif  // CASES_USER_USER_CASES_H_
