// Checks whether likely causes are right: compares the cause given to a failed case with the name and text of
// the active injected bug or variant.
#ifndef CLIENT_PROOF_CAUSES_H_
#define CLIENT_PROOF_CAUSES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/proof/injected_library.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::proof {

enum class Stated { kRight, kWrong, kNothing };

// A cause is right when it names what was injected (an argument, the tail, NaN, a contract, ...). A cause
// that names nothing known is wrong. No code: no cause was given.
Stated JudgeCause(const Injected& injected, const v1::Finding& cause);

class CauseTally {
 public:
  explicit CauseTally(std::vector<Injected> injected) : injected_(std::move(injected)) {}

  // Adds a verdict of injected()[index]; only failures count. Not thread-safe.
  void Add(size_t index, const v1::Verdict& verdict);

  int64_t Count(Stated stated) const;
  // The share of given causes that are right; 1 when none was given.
  double Precision() const;
  // One line per kind of cause: right, wrong, and the bugs it was wrong about.
  std::string Table() const;
  // One line per bug or variant that names a contract: its failures, and the contract that their causes
  // advise to declare.
  std::string ContractTable() const;

 private:
  struct Row {
    int64_t right = 0, wrong = 0;
    std::map<std::string, int64_t> mistaken;  // by bug or variant
  };
  std::vector<Injected> injected_;
  std::map<std::string, Row> rows_;  // by topic of the cause
  std::map<size_t, std::map<std::string, int64_t>> contracts_;
  int64_t failures_ = 0, stated_nothing_ = 0;
};

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_CAUSES_H_
