// Whether a rule matches a case.
#ifndef CLIENT_PROFILE_MATCH_H_
#define CLIENT_PROFILE_MATCH_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/profile.pb.h"

namespace diopi::profile {

// A size, or nothing for "*".
using ShapePattern = std::vector<std::optional<int64_t>>;

// Parses "2,3", "(4, *, 7)" or "()". Nullopt for anything else.
std::optional<ShapePattern> ParseShape(std::string_view text);

bool Matches(const v1::CaseMatch& match, const v1::Case& c);

// "operator batch_norm; dtype float16"; "every case" when nothing is set.
std::string MatchText(const v1::CaseMatch& match);

// A parameter's value as rules write it: "0.5", "true", "none", "[2, 2]". Empty for tensors and other kinds.
std::string ValueText(const v1::Argument& arg);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_MATCH_H_
