// What a group of failures is about, from the classes of its cases: its plainest case, what that case
// reveals, and which classes its cases have that no passing case has.
#ifndef REPORTS_MODEL_GROUP_FACTS_H_
#define REPORTS_MODEL_GROUP_FACTS_H_

#include <set>
#include <string>
#include <vector>

#include "reports/model/failure_groups.h"

namespace diopi::reports {

// The classes of a case, as its id names them: variant, dtype and the words of its label.
// "add.inplace.float16.n33_offset": inplace, float16, n33, offset.
std::set<std::string> ClassesOf(const std::string& case_id);

// How far a case is from the plainest: first its number of classes, then whether its dtype is another than
// float32. Less is plainer.
std::pair<size_t, bool> UnusualnessOf(const std::string& case_id);

// Whether passing cases can tell what separates the group: it has one operator and enough cases.
bool MayBeSeparated(const FailureGroup& group);

// Fills in `separation` of groups with one operator, given the ids of all passing cases of these operators,
// and `reveals` of all groups, of which the built-in catalog knows the example.
void AddGroupFacts(const std::vector<std::string>& passing, std::vector<FailureGroup>* groups);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_GROUP_FACTS_H_
