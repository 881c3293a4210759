#include "reports/model/suite.h"

#include <utility>

#include "cases/core/builtin.h"
#include "cases/core/library_checks.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::reports {

const SuiteIndex& BuiltinSuite() {
  static const auto& index = *[] {
    auto* made = new SuiteIndex;
    for (const std::string_view bytes : cases::BuiltinOperators()) {
      v1::OperatorFile file;
      if (!file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) continue;
      for (const v1::FunctionRules& function : file.function()) {
        SuitePlace place{file.operator_(), file.family()};
        if (function.not_covered().empty()) {
          made->insert_or_assign(function.name(), std::move(place));
        } else {
          made->emplace(function.name(), std::move(place));
        }
      }
    }
    for (const v1::Case& c : cases::LibraryChecks()) {
      if (!c.function().empty()) made->emplace(c.function(), SuitePlace{c.operator_(), c.family()});
    }
    return made;
  }();
  return index;
}

}  // namespace diopi::reports
