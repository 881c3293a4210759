// The tables of texts, embedded by the build. Private to this folder.
#ifndef CASES_FINDINGS_FINDING_TABLES_H_
#define CASES_FINDINGS_FINDING_TABLES_H_

#include <string_view>

namespace diopi {

std::string_view findings_en();
std::string_view findings_zh();

}  // namespace diopi

#endif  // CASES_FINDINGS_FINDING_TABLES_H_
