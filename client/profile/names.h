// The names that a profile's rules may use: operators with their other names, functions, arguments.
#ifndef CLIENT_PROFILE_NAMES_H_
#define CLIENT_PROFILE_NAMES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cases/base/match.h"
#include "diopi/v1/operator.pb.h"

namespace diopi::profile {

class Names {
 public:
  explicit Names(const std::vector<v1::OperatorFile>& operators);

  // Checks a name or glob. Returns an empty string when it is known, otherwise the error with the nearest
  // names.
  std::string CheckOperator(const std::string& pattern) const;
  static std::string CheckFunction(const std::string& pattern);
  std::string CheckCase(const std::string& pattern) const;
  // The operators' own names for patterns that use other names, without those already among the patterns.
  std::vector<std::string> OwnNames(const std::vector<std::string>& patterns) const;
  // Checks that one of the functions has the parameter, or any function where the patterns do not name one
  // for certain.
  std::string CheckParameter(const std::string& name, const std::vector<std::string>& operators,
                             const std::vector<std::string>& functions) const;

 private:
  std::vector<std::string> operators_;                      // their other names included
  std::map<std::string, std::set<std::string>> functions_;  // by each of these
  std::map<std::string, std::string> own_;                  // by other name
};

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_NAMES_H_
