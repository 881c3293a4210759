// The test's side of a stage (cases/base/stage.h): waits until a program has reached it, and lets the program
// continue.
#ifndef CLIENT_TESTING_STAGE_H_
#define CLIENT_TESTING_STAGE_H_

#include <sys/types.h>

#include <string>

#include "client/testing/programs.h"

namespace diopi::testing {

class Stage {
 public:
  explicit Stage(const std::string& name);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  // For the environment of the program and of its child processes.
  std::string Variable() const { return "DIOPI_TEST_STAGE=" + name_ + "=" + path_; }
  // Waits until a program reaches the stage, and returns its id. Returns 0 and fails the test when none does
  // within two minutes.
  pid_t Await();
  // Lets the program continue, if it is still alive.
  void Release();

 private:
  TestFolder folder_;
  const std::string name_;
  const std::string path_ = folder_ / "stage";
  int reached_ = -1;
  int go_ = -1;
};

// Kills with SIGKILL and returns when the process is gone (or a zombie).
void KillAndAwait(pid_t pid);

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_STAGE_H_
