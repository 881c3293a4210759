#include "client/setup/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace diopi::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Environment Of(const std::map<std::string, std::string>& variables) {
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

const std::map<std::string, std::string> kGitHub = {{"GITHUB_ACTIONS", "true"},
                                                    {"GITHUB_SHA", "1f2e3d"},
                                                    {"GITHUB_REF", "refs/heads/main"},
                                                    {"GITHUB_REF_NAME", "main"},
                                                    {"GITHUB_SERVER_URL", "https://github.example"},
                                                    {"GITHUB_REPOSITORY", "acme/diopi"},
                                                    {"GITHUB_RUN_ID", "77"}};

TEST(CiLabelsTest, ThereAreNoneWithoutCi) {
  EXPECT_THAT(CiLabels(Of({})), IsEmpty());
  EXPECT_THAT(CiLabels(Of({{"GIT_COMMIT", "1f2e3d"}})), IsEmpty());
}

TEST(CiLabelsTest, GitHubActions) {
  const auto pipeline = Pair("pipeline", "https://github.example/acme/diopi/actions/runs/77");
  EXPECT_THAT(CiLabels(Of(kGitHub)), ElementsAre(Pair("branch", "main"), Pair("commit", "1f2e3d"), pipeline));
  std::map<std::string, std::string> pull = kGitHub;
  pull["GITHUB_REF"] = "refs/pull/12/merge";
  pull["GITHUB_REF_NAME"] = "12/merge";
  pull["GITHUB_HEAD_REF"] = "faster-add";
  EXPECT_THAT(CiLabels(Of(pull)), ElementsAre(Pair("branch", "faster-add"), Pair("commit", "1f2e3d"),
                                              pipeline, Pair("ticket", "#12")));
}

TEST(CiLabelsTest, GitLabCi) {
  EXPECT_THAT(CiLabels(Of({{"GITLAB_CI", "true"},
                           {"CI_COMMIT_SHA", "1f2e3d"},
                           {"CI_COMMIT_REF_NAME", "refs"},
                           {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "faster-add"},
                           {"CI_MERGE_REQUEST_IID", "12"},
                           {"CI_PIPELINE_URL", "https://gitlab.example/p/7"}})),
              ElementsAre(Pair("branch", "faster-add"), Pair("commit", "1f2e3d"),
                          Pair("pipeline", "https://gitlab.example/p/7"), Pair("ticket", "!12")));
}

TEST(CiLabelsTest, Jenkins) {
  EXPECT_THAT(CiLabels(Of({{"JENKINS_URL", "https://jenkins.example"},
                           {"GIT_COMMIT", "1f2e3d"},
                           {"GIT_BRANCH", "origin/main"},
                           {"BUILD_URL", "a\nb"}})),  // no label has a control character
              ElementsAre(Pair("branch", "origin/main"), Pair("commit", "1f2e3d")));
}

TEST(RunLabelsTest, GivenLabelsComeBeforeThoseOfCi) {
  EXPECT_THAT(RunLabels({"commit=abc", "pipeline=", "note=new driver, a=b"}, Of(kGitHub)).value(),
              ElementsAre(Pair("branch", "main"), Pair("commit", "abc"), Pair("note", "new driver, a=b")));
}

TEST(RunLabelsTest, ValuesAreMadeValidUtf8) {
  EXPECT_THAT(RunLabels({"note=caf\xe9"}, Of({})).value(), ElementsAre(Pair("note", "caf?")));
}

TEST(RunLabelsTest, AnErrorNamesTheOptionAndWhatWasExpected) {
  const auto error = [](const std::vector<std::string>& given) {
    return std::string(RunLabels(given, Of({})).status().message());
  };
  EXPECT_THAT(error({"commit"}),
              HasSubstr("--label: expected KEY=VALUE, such as commit=1f2e3d, got 'commit'"));
  EXPECT_THAT(error({"a b=c"}), HasSubstr("'a b' does not"));
  EXPECT_THAT(error({"=c"}), HasSubstr("the key of a label has 1 to 64 letters"));
  EXPECT_THAT(error({"a=" + std::string(1025, 'x')}), HasSubstr("label a has 1025 bytes; the limit is 1024"));
  std::vector<std::string> many;
  many.reserve(33);
  for (int i = 0; i < 33; ++i) many.push_back("k" + std::to_string(i) + "=v");
  EXPECT_THAT(error(many), HasSubstr("a run has at most 32 labels; these are 33"));
}

}  // namespace
}  // namespace diopi::agent
