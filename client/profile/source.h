// A profile's text parsed into a message, with the places of its fields.
#ifndef CLIENT_PROFILE_SOURCE_H_
#define CLIENT_PROFILE_SOURCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/textproto.h"
#include "diopi/v1/profile.pb.h"

namespace diopi::profile {

class Source {
 public:
  // InvalidArgument lists every syntax error as "FILE:LINE:COLUMN: ..." with the nearest fields or values.
  static absl::StatusOr<Source> Parse(std::string_view text, const std::string& file_name);

  const v1::DeviceProfile& message() const { return message_; }

  // Line of the deepest part of `path` whose place is known, from 1; 0 when none is.
  int LineOf(const FieldPath& path) const { return lines_.PlaceOf(path).line; }
  // "FILE:LINE:COLUMN: a.b: "
  std::string At(const FieldPath& path) const;

 private:
  Source(v1::DeviceProfile message, SourceLines lines)
      : message_(std::move(message)), lines_(std::move(lines)) {}

  v1::DeviceProfile message_;
  SourceLines lines_;
};

// Collects findings, one per line.
class Findings {
 public:
  explicit Findings(const Source& source) : source_(source) {}
  void Add(const FieldPath& path, const std::string& what);
  absl::Status status() const;

 private:
  const Source& source_;
  std::vector<std::string> lines_;
};

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_SOURCE_H_
