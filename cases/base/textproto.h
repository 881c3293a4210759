// Reads messages in protobuf's text format, with the places of their fields for messages about them.
#ifndef CASES_BASE_TEXTPROTO_H_
#define CASES_BASE_TEXTPROTO_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace diopi {

// A step of a path into a message: {"grid", 0}, {"label", -1}. The index is -1 for a field that is not
// repeated.
struct FieldStep {
  const char* field;
  int index = -1;
};
using FieldPath = std::vector<FieldStep>;

// Where the parts of a message stand in its file. Move-only.
class SourceLines {
 public:
  // Knows the file's name alone.
  explicit SourceLines(std::string file) : file_(std::move(file)) {}

  // Counted from 1; 0 if unknown.
  struct Place {
    int line = 0;
    int column = 0;
  };
  // The place of the deepest part of `path` that has a known one.
  Place PlaceOf(const FieldPath& path) const;
  // "FILE:LINE: " of that part; "FILE: " if no place is known.
  std::string At(const FieldPath& path) const;

  const std::string& file() const { return file_; }
  // Null where only the file's name is known.
  const google::protobuf::TextFormat::ParseInfoTree* tree() const { return tree_.get(); }

 private:
  friend absl::StatusOr<SourceLines> ParseTextproto(std::string_view, std::string, google::protobuf::Message*,
                                                    absl::FunctionRef<std::string(const std::string&)>);
  std::string file_;
  const google::protobuf::Descriptor* type_ = nullptr;
  std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> tree_;
};

// Parses `text` into `message`, which is empty before. InvalidArgument lists every syntax error, one per
// line, as "FILE:LINE:COLUMN: ", followed by what `explain` makes of the parser's message.
absl::StatusOr<SourceLines> ParseTextproto(
    std::string_view text, std::string file, google::protobuf::Message* message,
    absl::FunctionRef<std::string(const std::string&)> explain = [](const std::string& m) { return m; });

}  // namespace diopi

#endif  // CASES_BASE_TEXTPROTO_H_
