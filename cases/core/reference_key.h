// What a baseline holds for an output, and the only definition of its names: the keys of references in
// memory, on the wire and as datasets of the HDF5 files (baselines/store/store.h).
#ifndef CASES_CORE_REFERENCE_KEY_H_
#define CASES_CORE_REFERENCE_KEY_H_

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace diopi {

// Names of datasets: never change.
enum class ReferencePart {
  kValue,       // KEY: the case's own dtype (exact classes), or r as float64
  kSigma,       // one sigma of rounding noise (not for exact classes): float32, or float64 when the output is
                // float64, whose range float32 does not have
  kPlainSigma,  // float32, 16-bit outputs of attention: sigma without the roundings to 16 bits
  kLow,         // float64, what r lost when it was rounded to float64 (float64 outputs only)
  kTerms,       // float32, accumulations: terms of each element
  kExact,       // uint8, 1: every sum is exact in the output's dtype, whatever its order
  kDevice,      // what the device reference returned, in the case's own dtype
  kNative16,    // what a real 16-bit evaluation gives; made by the agent, never stored
  kNative16Pairwise,  // the same, with every sum in pairs
  kNative16Lanes,     // the same, with every sum in 32 lanes
  kNative16Cautious,  // as in pairs, with NaN for a sum that overflows in some order
  kSpreadNan,         // uint8, 1: NaN is accepted too (baselines/compare/readings.h)
  kShape,             // int64, of large calls: the shape of an output that the library makes
  kHash,              // uint8, of large calls: HashOutput of all of an output's bytes, as 16 hex digits
};

inline constexpr std::array<std::pair<ReferencePart, std::string_view>, 13> kReferenceSuffixes = {
    {{ReferencePart::kSigma, ".sigma"},
     {ReferencePart::kPlainSigma, ".plain_sigma"},
     {ReferencePart::kLow, ".low"},
     {ReferencePart::kTerms, ".n"},
     {ReferencePart::kExact, ".exact"},
     {ReferencePart::kDevice, ".device"},
     {ReferencePart::kNative16, ".native16"},
     {ReferencePart::kNative16Pairwise, ".native16_pairwise"},
     {ReferencePart::kNative16Lanes, ".native16_lanes"},
     {ReferencePart::kNative16Cautious, ".native16_cautious"},
     {ReferencePart::kSpreadNan, ".spread_nan"},
     {ReferencePart::kShape, ".shape"},
     {ReferencePart::kHash, ".hash"}}};

// "out.sigma" for "out".
inline std::string ReferenceKey(std::string_view output, ReferencePart part) {
  std::string key(output);
  for (const auto& [known, suffix] : kReferenceSuffixes) {
    if (known == part) key += suffix;
  }
  return key;
}

struct ReferenceName {
  std::string output;  // "grad_input", "outs.0"; with its reading before it where it is another's
  ReferencePart part = ReferencePart::kValue;
};

// The inverse. No output has a part's name.
inline ReferenceName ParseReferenceKey(std::string_view key) {
  for (const auto& [part, suffix] : kReferenceSuffixes) {
    if (key.size() > suffix.size() && key.substr(key.size() - suffix.size()) == suffix)
      return {std::string(key.substr(0, key.size() - suffix.size())), part};
  }
  return {std::string(key), ReferencePart::kValue};
}

}  // namespace diopi

#endif  // CASES_CORE_REFERENCE_KEY_H_
