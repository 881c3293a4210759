// Checks the include direction and the confinement of third-party libraries against layering.txt, and finds
// circles.
#ifndef CMAKE_CHECKS_LAYERING_H_
#define CMAKE_CHECKS_LAYERING_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
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
  struct Placed {
    std::string folder;
    std::vector<std::string> paths;
  };
  std::vector<Folder> folders;
  std::vector<Confined> confined;
  std::vector<Placed> placed;
};

// InvalidArgument, with the line's number, for a line that is neither rule nor comment.
absl::StatusOr<LayeringRules> ParseRules(std::string_view text);

// One line for each offending include of one file: "a/b.cc:12: includes c/d.h, but a may use only: x y".
// `path` is relative to the project's root.
std::vector<std::string> CheckFile(const LayeringRules& rules, std::string_view path, std::string_view text);

// The graph of which folder includes which.
class FolderGraph {
 public:
  explicit FolderGraph(LayeringRules rules = {}) : rules_(std::move(rules)) {}
  void Add(std::string_view path, std::string_view text);
  // One line for each circle: "a/b -> a/c -> a/b", with an include for each step. Folders of the first level
  // are left out: there a part of one may serve another (server/store is below reports, server/http above).
  std::vector<std::string> Circles() const;

 private:
  // From folder to folder, with the first include between them.
  using Edges = std::map<std::string, std::map<std::string, std::string>>;
  Edges UpTo(int depth) const;
  const LayeringRules rules_;
  Edges edges_;
};

}  // namespace diopi::checks

#endif  // CMAKE_CHECKS_LAYERING_H_
