// The operator files that the build embedded, as serialized OperatorFile messages. The definition is
// generated (cases/core/CMakeLists.txt).
#ifndef CASES_CORE_BUILTIN_H_
#define CASES_CORE_BUILTIN_H_

#include <string_view>
#include <vector>

namespace diopi::cases {

std::vector<std::string_view> BuiltinOperators();

}  // namespace diopi::cases

#endif  // CASES_CORE_BUILTIN_H_
