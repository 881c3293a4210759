#include "reports/render/json_parts.h"

#include "cases/base/text.h"

namespace diopi::reports {

std::string Dump(const Json& json, int indent) {
  return PrintableJson(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string JsonMembers(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items())
    absl::StrAppend(&out, "\n  \"", name, "\": ", Dump(value), ",");
  return out;
}

}  // namespace diopi::reports
