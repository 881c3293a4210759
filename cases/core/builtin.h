// The operator files that the build embedded, as serialized OperatorFile messages, and the models' calls. The
// definition is generated (cases/core/CMakeLists.txt).
#ifndef CASES_CORE_BUILTIN_H_
#define CASES_CORE_BUILTIN_H_

#include <string_view>
#include <vector>

#include "cases/core/catalog.h"

namespace diopi::cases {

std::vector<std::string_view> BuiltinOperators();

// cases/suites/models/*.calls and *.layers, by name.
std::vector<ModelText> BuiltinModels();
std::vector<ModelText> BuiltinModelParts();

}  // namespace diopi::cases

#endif  // CASES_CORE_BUILTIN_H_
