#include "client/setup/labels.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cases/base/text.h"

namespace diopi::agent {
namespace {

// The first of the variables that is set.
std::string FirstOf(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string value = environment(name);
    if (!value.empty()) return value;
  }
  return "";
}

// The number of a pull or merge request as people write it; empty: there is none.
std::string Numbered(const char* sign, const std::string& number) {
  return number.empty() ? "" : absl::StrCat(sign, number);
}

server::Labels GitHubLabels(const Environment& environment) {
  const std::string ref = environment("GITHUB_REF");  // refs/pull/12/merge
  absl::string_view request = ref;
  const bool pull = absl::ConsumePrefix(&request, "refs/pull/");
  const std::string repository =
      absl::StrCat(environment("GITHUB_SERVER_URL"), "/", environment("GITHUB_REPOSITORY"));
  return {{"commit", environment("GITHUB_SHA")},
          {"branch", FirstOf(environment, {"GITHUB_HEAD_REF", "GITHUB_REF_NAME"})},
          {"ticket", pull ? Numbered("#", std::string(request.substr(0, request.find('/')))) : ""},
          {"pipeline", absl::StrCat(repository, "/actions/runs/", environment("GITHUB_RUN_ID"))}};
}

server::Labels GitLabLabels(const Environment& environment) {
  return {{"commit", environment("CI_COMMIT_SHA")},
          {"branch", FirstOf(environment, {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"})},
          {"ticket", Numbered("!", environment("CI_MERGE_REQUEST_IID"))},
          {"pipeline", FirstOf(environment, {"CI_JOB_URL", "CI_PIPELINE_URL"})}};
}

server::Labels JenkinsLabels(const Environment& environment) {
  return {{"commit", environment("GIT_COMMIT")},
          {"branch", FirstOf(environment, {"CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"})},
          {"ticket", Numbered("#", environment("CHANGE_ID"))},
          {"pipeline", environment("BUILD_URL")}};
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
}

server::Labels CiLabels(const Environment& environment) {
  server::Labels labels;
  if (!environment("GITHUB_ACTIONS").empty()) {
    labels = GitHubLabels(environment);
  } else if (!environment("GITLAB_CI").empty()) {
    labels = GitLabLabels(environment);
  } else if (!environment("JENKINS_URL").empty()) {
    labels = JenkinsLabels(environment);
  }
  std::erase_if(labels, [](const auto& label) {
    return label.second.empty() || !server::CheckLabel(label.first, label.second).ok();
  });
  return labels;
}

absl::StatusOr<server::Labels> RunLabels(const std::vector<std::string>& given,
                                         const Environment& environment) {
  server::Labels labels = CiLabels(environment);
  for (const std::string& text : given) {
    const absl::StatusOr<server::Labels::value_type> label = server::ParseLabel(PrintableText(text));
    if (!label.ok()) return absl::InvalidArgumentError(absl::StrCat("--label: ", label.status().message()));
    if (label->second.empty()) {
      labels.erase(label->first);
    } else {
      labels[label->first] = label->second;
    }
  }
  if (const absl::Status status = server::CheckLabels(labels); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--label: ", status.message()));
  }
  return labels;
}

void AddLabelOption(CLI::App* app, std::vector<std::string>* labels) {
  app->add_option(
         "--label", *labels,
         "Label of the run, KEY=VALUE, such as ticket=OPS-12 or note='new driver'; may be given several "
         "times (default: commit, branch, ticket and pipeline, from the variables of GitHub Actions, "
         "GitLab CI or Jenkins; KEY= leaves one out)")
      ->allow_extra_args(false);
}

}  // namespace diopi::agent
