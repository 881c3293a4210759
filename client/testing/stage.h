// The test's end of a stage (cases/base/stage.h): waits until a program has come there, and lets it go on.
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

  // For the environment of the program, and of those that it starts.
  std::string Variable() const { return "DIOPI_TEST_STAGE=" + name_ + "=" + path_; }
  // Waits until a program is there, and returns its id; 0, and a failure, when none comes within two minutes.
  pid_t Await();
  // Lets it go on, if it still can.
  void Release();

 private:
  TempFolder folder_;
  const std::string name_;
  const std::string path_ = folder_ / "stage";
  int reached_ = -1;
  int go_ = -1;
};

// Kills with SIGKILL and returns when the process is gone (or a zombie).
void KillAndAwait(pid_t pid);

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_STAGE_H_
