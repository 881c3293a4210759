// Declared arithmetic of a device: what it may do beside ordinary float32 evaluation. Declared, never
// guessed; a verdict lists the contracts that widened its tolerance (verdict section 2).
#ifndef BASELINES_COMPARE_CONTRACT_H_
#define BASELINES_COMPARE_CONTRACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

struct Contracts {
  bool tf32 = false;      // float32 products of operands rounded to 11 bits
  bool tc32 = false;      // matrix units whose float32 accumulator truncates; 16-bit types have it anyway
  bool fastconv = false;  // Winograd F(4x4, 3x3) and its like
  bool p_cast = false;    // attention rounds its probabilities to the 16-bit type
  bool native16 = false;  // 16-bit types are computed in 16 bits throughout

  bool any() const { return tf32 || tc32 || fastconv || p_cast || native16; }
  bool operator==(const Contracts&) const = default;
};

// InvalidArgument, naming the unknown one and those known.
absl::StatusOr<Contracts> ParseContracts(const std::vector<std::string>& names);

// In the order of the struct.
std::vector<std::string> ContractNames(const Contracts& contracts);

// Those of `declared` that a judge of this arithmetic lets count.
Contracts Allowed(const Contracts& declared, v1::Judge::Arithmetic arithmetic);

// Those of either.
Contracts Union(const Contracts& a, const Contracts& b);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONTRACT_H_
