// Declared arithmetic of a device: what it may do besides ordinary float32 evaluation. It is declared, never
// guessed, and a verdict lists the contracts that widened a tolerance (docs/method.md, section 6).
//
// A declaration is NAME[@OPERATOR+...][:DTYPE+...], so that a contract holds only where the device needs it:
//   tf32                             every operator and dtype to which the contract applies
//   native16:bfloat16                only cases of dtype bfloat16
//   native16@norm+conv*:bfloat16     and only of these operators, names or globs
#ifndef BASELINES_COMPARE_CONTRACT_H_
#define BASELINES_COMPARE_CONTRACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/dtype.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

struct Contracts {
  bool tf32 = false;      // float32 products of operands rounded to 11 bits
  bool tc32 = false;      // matrix units whose float32 accumulator truncates; 16-bit types have it anyway
  bool fastconv = false;  // Winograd F(4x4, 3x3) and similar algorithms
  bool p_cast = false;    // attention rounds its probabilities to the 16-bit type
  bool native16 = false;  // 16-bit types are computed in 16 bits throughout

  bool any() const { return tf32 || tc32 || fastconv || p_cast || native16; }
  bool operator==(const Contracts&) const = default;
};

// What a device declares, by operator and dtype. A value type.
class DeclaredContracts {
 public:
  DeclaredContracts() = default;
  DeclaredContracts(const Contracts& everywhere);  // NOLINT: contracts that hold everywhere

  // Those that hold for the case.
  Contracts For(const v1::Case& c) const;
  // The declarations, each once, as ParseContracts reads them: sorted as the struct above, then by text.
  std::vector<std::string> Texts() const;
  // The operators and globs that declarations name.
  std::vector<std::string> Operators() const;
  bool any() const { return !rules_.empty(); }
  bool operator==(const DeclaredContracts& other) const { return Texts() == other.Texts(); }

 private:
  friend absl::StatusOr<DeclaredContracts> ParseContracts(const std::vector<std::string>& declarations);

  struct Rule {
    Contracts contract;                  // one flag
    std::vector<std::string> operators;  // none: all
    std::vector<Dtype> dtypes;           // none: all
  };
  std::vector<Rule> rules_;
};

// InvalidArgument, naming what is unknown or malformed and what was expected. The caller must check whether
// the operators exist.
absl::StatusOr<DeclaredContracts> ParseContracts(const std::vector<std::string>& declarations);

// Names in the order of the struct.
std::vector<std::string> ContractNames(const Contracts& contracts);

// Every contract by itself, in that order.
std::vector<Contracts> SingleContracts();

// Those of `declared` that a judge of this arithmetic takes into account.
Contracts Allowed(const Contracts& declared, v1::Judge::Arithmetic arithmetic);

// The contracts that `a` or `b` has.
Contracts Union(const Contracts& a, const Contracts& b);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONTRACT_H_
