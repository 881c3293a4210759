#include "client/proof/kill_matrix.h"

namespace diopi::proof {

void KillMatrix::Add(const std::string& bug, const std::string& case_id, bool caught) {
  AddCase(case_id);
  std::set<std::string>& by = bugs_[bug];
  if (caught) by.insert(case_id);
}

std::vector<std::string> KillMatrix::Survivors() const {
  std::vector<std::string> survivors;
  for (const auto& [bug, by] : bugs_) {
    if (by.empty()) survivors.push_back(bug);
  }
  return survivors;
}

std::vector<std::string> KillMatrix::Idle() const {
  std::set<std::string> idle = cases_;
  for (const auto& [bug, by] : bugs_) {
    for (const std::string& id : by) idle.erase(id);
  }
  return {idle.begin(), idle.end()};
}

std::vector<std::string> KillMatrix::Cover() const {
  std::map<std::string, std::set<const std::string*>> left;  // by case: the uncovered bugs that it catches
  for (const auto& [bug, by] : bugs_) {
    for (const std::string& id : by) left[id].insert(&bug);
  }
  std::vector<std::string> cover;
  for (;;) {
    const std::string* best = nullptr;
    size_t most = 0;
    for (const auto& [id, bugs] : left) {
      if (bugs.size() > most) {
        best = &id;
        most = bugs.size();
      }
    }
    if (best == nullptr) return cover;
    cover.push_back(*best);
    const std::set<const std::string*> covered = left[*best];
    for (auto& [id, bugs] : left) {
      for (const std::string* bug : covered) bugs.erase(bug);
    }
  }
}

}  // namespace diopi::proof
