// Points in a run at which a test can stop a program and kill it (client/testing/stages_test.cc).
#ifndef CASES_BASE_STAGE_H_
#define CASES_BASE_STAGE_H_

namespace diopi {

// Does nothing unless DIOPI_TEST_STAGE is "NAME=PATH" with this name. Then, the first time in this process,
// it opens the FIFO PATH, writes the process's id and a newline, and waits, on this thread, for a byte (or
// the end) of the FIFO PATH.go. Costs one load where the variable is not set. Thread-safe.
void StageReached(const char* name);

}  // namespace diopi

#endif  // CASES_BASE_STAGE_H_
