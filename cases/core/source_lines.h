// The line of each part of an operator's file, for messages.
#ifndef CASES_CORE_SOURCE_LINES_H_
#define CASES_CORE_SOURCE_LINES_H_

#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <vector>

#include "diopi/v1/operator.pb.h"

namespace diopi::cases {

// A path in the file's message: {"grid", 0}, {"point", 3}. The index is -1 for a field that is not repeated.
struct Step {
  const char* field;
  int index;
};
using Path = std::vector<Step>;

class SourceLines {
 public:
  explicit SourceLines(std::string file_name) : file_(std::move(file_name)) {}
  SourceLines(std::string file_name, std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> tree)
      : file_(std::move(file_name)), tree_(std::move(tree)) {}

  // "FILE:LINE: " of the deepest part of `path` whose line is known; "FILE: " when none is.
  std::string At(const Path& path) const;

 private:
  std::string file_;
  std::unique_ptr<google::protobuf::TextFormat::ParseInfoTree> tree_;
};

}  // namespace diopi::cases

#endif  // CASES_CORE_SOURCE_LINES_H_
