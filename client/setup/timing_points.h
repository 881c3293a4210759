// The points of a model's size at which functions are timed (baselines/timing), built into the program.
#ifndef CLIENT_SETUP_TIMING_POINTS_H_
#define CLIENT_SETUP_TIMING_POINTS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"

namespace diopi::agent {

// An operator's file with these points alone. The texts live as long as the program.
struct TimingText {
  std::string_view name;
  std::string_view text;
};
std::vector<TimingText> TimingTexts();

// Operators of the same names as the suite's, in float32 and float16. InvalidArgument for a defect of ours.
absl::StatusOr<std::unique_ptr<cases::Catalog>> LoadTimingPoints();

}  // namespace diopi::agent

#endif  // CLIENT_SETUP_TIMING_POINTS_H_
