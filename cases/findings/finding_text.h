// What findings say, in the reader's language. All functions are thread-safe.
#ifndef CASES_FINDINGS_FINDING_TEXT_H_
#define CASES_FINDINGS_FINDING_TEXT_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <string>

#include "diopi/v1/finding.pb.h"

namespace diopi {

enum class FindingLanguage { kEnglish, kChinese };

// One clause, without a full stop. A code of a later version, which the tables lack, shows its fields.
std::string FindingText(const v1::Finding& finding, FindingLanguage language = FindingLanguage::kEnglish);

// Whether a finding and its parts nest at most kDeepestFinding levels. What comes from a worker or an agent
// must.
inline constexpr int kDeepestFinding = 8;
bool IsShallow(const v1::Finding& finding);

// `found`, or the text that an earlier version stored instead of it, as SAID. Without either, an empty
// finding, which has an empty text.
v1::Finding FoundOr(const v1::Finding& found, const std::string& text);

// Clauses, joined by "; ".
std::string FindingsText(const google::protobuf::RepeatedPtrField<v1::Finding>& findings,
                         FindingLanguage language = FindingLanguage::kEnglish);

}  // namespace diopi

#endif  // CASES_FINDINGS_FINDING_TEXT_H_
