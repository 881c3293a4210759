// How JSON reports and the dashboards' API (server/http/API.md) lay out and escape what message_json.h makes.
#ifndef REPORTS_RENDER_JSON_PARTS_H_
#define REPORTS_RENDER_JSON_PARTS_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/render/message_json.h"

namespace diopi::reports {

// Writes one line, or with an indent a line per member. Characters that are not printable are escaped; bytes
// that are not UTF-8 become U+FFFD.
std::string Dump(const Json& json, int indent = -1);
// The members of an object, each on a line with a comma.
std::string JsonMembers(const Json& object);
// A list that may be long, with one line per item for line-based tools.
template <typename Items, typename ToJson>
std::string JsonLines(const Items& items, const ToJson& to_json) {
  const auto line = [&](std::string* out, const auto& item) {
    absl::StrAppend(out, "\n    ", Dump(to_json(item)));
  };
  return absl::StrCat("[", absl::StrJoin(items, ",", line), items.empty() ? "]" : "\n  ]");
}

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_JSON_PARTS_H_
