// A profile's text parsed into a message, with the places of its fields.
#ifndef CLIENT_PROFILE_SOURCE_H_
#define CLIENT_PROFILE_SOURCE_H_

#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/v1/profile.pb.h"

namespace diopi::profile {

// One step of a path into the message: {"skip", 0}, {"match", -1}. The index is -1 for a field that is not
// repeated.
struct Step {
  const char* field;
  int index = -1;
};
using Path = std::vector<Step>;

class Source {
 public:
  // InvalidArgument lists every syntax error as "FILE:LINE:COLUMN: ..." with the nearest fields or values.
  static absl::StatusOr<Source> Parse(std::string_view text, const std::string& file_name);

  const v1::DeviceProfile& message() const { return message_; }

  // Line of the deepest part of `path` whose place is known, from 1; 0 when none is.
  int LineOf(const Path& path) const;
  // "FILE:LINE:COLUMN: a.b: "
  std::string At(const Path& path) const;

 private:
  struct Place {
    int line = -1;
    int column = -1;
  };
  Place PlaceOf(const Path& path) const;

  std::string file_;
  v1::DeviceProfile message_;
  std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> tree_;
};

// Collects findings, one per line.
class Findings {
 public:
  explicit Findings(const Source& source) : source_(source) {}
  void Add(const Path& path, const std::string& what);
  absl::Status status() const;

 private:
  const Source& source_;
  std::vector<std::string> lines_;
};

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_SOURCE_H_
