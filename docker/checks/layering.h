// Checks the include direction and the confinement of third-party libraries against layering.txt.
#ifndef DOCKER_CHECKS_LAYERING_H_
#define DOCKER_CHECKS_LAYERING_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::checks {

struct LayeringRules {
  struct Folder {
    std::string name;
    std::vector<std::string> may_use;
  };
  struct Confined {
    std::string prefix;  // of the text between < > or quotes
    std::vector<std::string> folders;
  };
  std::vector<Folder> folders;
  std::vector<Confined> confined;
};

// InvalidArgument, with the line's number, for a line that is neither rule nor comment.
absl::StatusOr<LayeringRules> ParseRules(std::string_view text);

// One line for each offending include of one file: "a/b.cc:12: includes c/d.h, but a may use only: x y".
// `path` is relative to the project's root.
std::vector<std::string> CheckFile(const LayeringRules& rules, std::string_view path, std::string_view text);

}  // namespace diopi::checks

#endif  // DOCKER_CHECKS_LAYERING_H_
