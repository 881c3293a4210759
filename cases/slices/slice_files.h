// Reads cases/slices/<family>.textproto.
#ifndef CASES_SLICES_SLICE_FILES_H_
#define CASES_SLICES_SLICE_FILES_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "diopi/v1/slices.pb.h"

namespace diopi::slices {

using SlicesByFunction = std::map<std::string, v1::Slices>;

// Parses and checks one file. InvalidArgument with "FILE:LINE: what is wrong", a line for each error.
absl::StatusOr<SlicesByFunction> ParseSliceFile(std::string_view text, std::string_view file_name);

// All files built into this program. Lives as long as the program.
const SlicesByFunction& AllSlices();

// Of one function; the default message where no file has it.
const v1::Slices& BuiltinSlices(const std::string& function);

}  // namespace diopi::slices

#endif  // CASES_SLICES_SLICE_FILES_H_
