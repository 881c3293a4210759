#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

struct Format {
  const char* name;
  std::string (*render)(const RunReport& report, const RenderOptions& options);
};

// Formats for programs do not depend on the options.
template <std::string (*kRender)(const RunReport&)>
std::string Whole(const RunReport& report, const RenderOptions&) {
  return kRender(report);
}

constexpr Format kFormats[] = {
    {"text", RenderText},          {"markdown", RenderMarkdown},
    {"html", RenderHtml},          {"csv", Whole<RenderCsv>},
    {"json", Whole<RenderJson>},   {"junit", Whole<RenderJunit>},
    {"cdash", Whole<RenderCdash>}, {"error_report", Whole<RenderErrorReport>},
};

}  // namespace

const std::vector<std::string>& Formats() {
  static const auto& names = *[] {
    auto* list = new std::vector<std::string>;
    for (const Format& format : kFormats) list->emplace_back(format.name);
    return list;
  }();
  return names;
}

absl::StatusOr<std::string> Render(const RunReport& report, std::string_view format,
                                   const RenderOptions& options) {
  for (const Format& known : kFormats) {
    if (format == known.name) return known.render(report, options);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown report format '", std::string(format),
                                                 "'; known: ", absl::StrJoin(Formats(), ", ")));
}

}  // namespace diopi::reports
