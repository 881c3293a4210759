// What the metrics say about each chip: figures of its newest complete run.
#ifndef SERVER_PROGRAM_CHIP_SAMPLES_H_
#define SERVER_PROGRAM_CHIP_SAMPLES_H_

#include <vector>

#include "server/store/queries.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Chips without a complete run are left out, and so is everything when the database cannot be read.
std::vector<Sample> ChipSamples(Queries& queries);

}  // namespace diopi::server

#endif  // SERVER_PROGRAM_CHIP_SAMPLES_H_
