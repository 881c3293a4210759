// Shows the progress of a run: on a terminal one line that changes, and what failed; the public harness's
// lines otherwise, and where they are asked for.
#ifndef CLIENT_AGENT_PROGRESS_H_
#define CLIENT_AGENT_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::agent {

// Not thread-safe: one thread reports.
class Progress {
 public:
  struct Options {
    bool bar = false;      // the output is a terminal
    bool colours = false;  // and shows colours
    bool lines = false;    // the harness's lines there, too
    bool quiet = false;    // print nothing at all
    bool verbose = false;  // a line for every case that does not pass
    int64_t total = 0;     // cases of the run
    int64_t done = 0;      // of these, those that had a verdict before this session
    // For the commands that repeat a case.
    v1::RunOptions run;
    std::string data_folder;
    std::function<std::chrono::system_clock::time_point()> clock = std::chrono::system_clock::now;
  };
  Progress(const Options& options, std::ostream* out)
      : options_(options), out_(out), done_(options.done), started_(options.clock()) {}

  // Announces how many cases of a function this session will run: the name's line is printed after the last
  // of them.
  void Expect(const std::string& op, const std::string& function, int64_t cases = 1);
  void Add(const v1::Verdict& verdict);
  // Prints the lines of names that are not complete, and ends the bar.
  void Finish();

 private:
  // The tally of one name of the public harness, which may stand for several functions.
  struct Tally {
    int64_t expected = 0;
    int64_t seen = 0;
    int64_t passed = 0;
    int64_t failed = 0;
    int64_t not_implemented = 0;
    bool printed = false;
  };

  bool harness_lines() const { return !options_.bar || options_.lines; }
  void Line(const char* level, const std::string& text);
  void PrintTally(const std::string& name, Tally* tally);
  void DrawBar(bool now);
  void ClearBar();

  const Options options_;
  std::ostream* const out_;
  std::map<std::string, Tally> tallies_;
  int64_t done_;
  int64_t failed_ = 0;
  const std::chrono::system_clock::time_point started_;
  bool bar_shown_ = false;
  std::chrono::system_clock::time_point last_bar_;
};

// "2022-09-29 16:40:40,550", local time.
std::string HarnessTime(std::chrono::system_clock::time_point time);

// "9 s", "2 min 05 s", "1 h 02 min".
std::string DurationText(std::chrono::seconds duration);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_PROGRESS_H_
