// Whether likely causes are true: of things that are planted under a name, the cause that a failed case is
// told is compared with what the name and the text say was planted.
#ifndef CLIENT_PROOF_CAUSES_H_
#define CLIENT_PROOF_CAUSES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/proof/planted_library.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::proof {

enum class Told { kRight, kWrong, kNothing };

// Right: what the cause speaks of (an argument, the tail, NaN, a contract, ...) is what was planted. A cause
// that speaks of nothing known is wrong.
Told JudgeCause(const Planted& planted, const std::string& cause);

class CauseTally {
 public:
  explicit CauseTally(std::vector<Planted> planted) : planted_(std::move(planted)) {}

  // A verdict of planted()[index]; only those that fail count. Not thread-safe.
  void Add(size_t index, const v1::Verdict& verdict);

  int64_t Count(Told told) const;
  // Share of the causes given that are right; 1 when no cause was given.
  double Precision() const;
  // One line a kind of cause: right, wrong, and the planted things it was wrong about.
  std::string Table() const;
  // One line a planted thing that names a contract: failures, and which contract they were told to declare.
  std::string ContractTable() const;

 private:
  struct Row {
    int64_t right = 0, wrong = 0;
    std::map<std::string, int64_t> mistaken;  // by planted thing
  };
  std::vector<Planted> planted_;
  std::map<std::string, Row> rows_;  // by topic of the cause
  std::map<size_t, std::map<std::string, int64_t>> contracts_;
  int64_t failures_ = 0, told_nothing_ = 0;
};

}  // namespace diopi::proof

#endif  // CLIENT_PROOF_CAUSES_H_
