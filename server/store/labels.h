// Labels of a run: what it is about, such as the commit, the branch and the ticket of the library, or a note.
// A label is a KEY with a VALUE. They never change what a run covers or how it is judged.
#ifndef SERVER_STORE_LABELS_H_
#define SERVER_STORE_LABELS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace diopi::server {

using Labels = std::map<std::string, std::string>;  // by key

inline constexpr size_t kMaxLabels = 32;  // of one run
inline constexpr size_t kMaxLabelKeyBytes = 64;
inline constexpr size_t kMaxLabelValueBytes = 1024;

// InvalidArgument says what is wrong with the key or the value, and what was expected.
absl::Status CheckLabel(const std::string& key, const std::string& value);
// The same for each of them, and for their number.
absl::Status CheckLabels(const Labels& labels);

// Parses KEY=VALUE; the value may be empty, which stands for no label. InvalidArgument.
absl::StatusOr<Labels::value_type> ParseLabel(const std::string& text);

// "branch=main, commit=1f2e3d"; empty: no labels.
std::string LabelsText(const Labels& labels);

}  // namespace diopi::server

#endif  // SERVER_STORE_LABELS_H_
