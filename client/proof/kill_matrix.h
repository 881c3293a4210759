// Which case catches which bug, and which of an operator's cases are needed.
#ifndef CLIENT_PROOF_KILL_MATRIX_H_
#define CLIENT_PROOF_KILL_MATRIX_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace diopi::proof {

class KillMatrix {
 public:
  // Adds a case, whether or not it catches anything.
  void AddCase(const std::string& case_id) { cases_.insert(case_id); }
  // Adds a bug that shows in the case, and whether the case catches it.
  void Add(const std::string& bug, const std::string& case_id, bool caught);

  const std::set<std::string>& cases() const { return cases_; }
  size_t bugs() const { return bugs_.size(); }
  // Bugs that show in some case but that no case catches.
  std::vector<std::string> Survivors() const;
  // Cases that catch no bug at all.
  std::vector<std::string> Idle() const;
  // A small set of cases that catches every bug that any case catches, chosen greedily: each time the case
  // that catches most of the remaining bugs, the first by id among equals.
  std::vector<std::string> Cover() const;

 private:
  std::set<std::string> cases_;
  std::map<std::string, std::set<std::string>> bugs_;  // by bug: the cases that catch it
};

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_KILL_MATRIX_H_
