// The one writer of JUnit's XML, as GitLab, Jenkins and GitHub's actions read it.
#ifndef REPORTS_DOCUMENT_JUNIT_H_
#define REPORTS_DOCUMENT_JUNIT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace diopi::reports {

struct JunitCase {
  enum class Element { kNone, kSkipped, kFailure, kError };  // kNone: it passes
  std::string name = {};
  std::string classname = {};
  double seconds = 0;
  Element element = Element::kNone;
  std::string type = {};     // of a failure or an error
  std::string message = {};  // one line
  std::string text = {};     // of a failure or an error: all that is needed to act on it
  std::string output = {};   // <system-out>; empty: none
};

class JunitWriter {
 public:
  // Cases of one suite need not come together.
  void Add(const std::string& suite, const JunitCase& c);
  // The document, with the suites in the order of their names. `properties` gives the <properties> of a
  // suite, or nothing. `created` is a time in RFC 3339.
  std::string Write(const std::string& name, const std::string& created, const std::string& host,
                    const std::function<std::string(const std::string& suite)>& properties) const;

 private:
  struct Suite {
    int64_t tests = 0;
    int64_t skipped = 0;
    int64_t failures = 0;
    int64_t errors = 0;
    double seconds = 0;
    std::string body;
  };
  static std::string Counts(const Suite& suite);

  std::map<std::string, Suite> suites_;
};

}  // namespace diopi::reports

#endif  // REPORTS_DOCUMENT_JUNIT_H_
