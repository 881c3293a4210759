// Memory whose size the library says first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/findings/finding_text.h"
#include "impl_loader/caller/case_caller.h"
#include "impl_loader/caller/case_runner.h"
#include "impl_loader/caller/test_cases.h"

namespace diopi::loader {
namespace {

using testing::HasSubstr;

void AddScratch(const std::string& name, v1::Case* c) {
  v1::Argument* arg = c->add_args();
  arg->set_name(name);
  arg->set_scratch(v1::Dtype::float32);
  v1::Argument* size = c->add_args();
  size->set_name(name + "_size");
  size->set_i(-1);
}

v1::Case Ffn(int64_t fusion_level) {
  CaseBuilder builder("diopiFusedSiluFfnInp");
  builder.Tensor("inoutput", v1::ROLE_INOUT, Spec(v1::Dtype::float32, {3}));
  for (const char* weight : {"weight1", "weight2", "weight3"}) {
    builder.Tensor(weight, v1::ROLE_INPUT, Spec(v1::Dtype::float32, {1}));
  }
  v1::Case c = builder.Done();
  AddScratch("workspace", &c);
  v1::Argument* level = c.add_args();
  level->set_name("fusion_level");
  level->set_i(fusion_level);
  return c;
}

v1::Case Attention(bool is_prepared) {
  CaseBuilder builder("diopiFusedContextAttentionInp");
  builder.Tensor("inoutput", v1::ROLE_INOUT, Spec(v1::Dtype::float32, {3}))
      .Tensor("qkv_weight", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {1}))
      .Null("qkv_bias");
  v1::Case c = builder.Done();
  AddScratch("pre_work", &c);
  const v1::Case rest = CaseBuilder("").Bool("is_prepared", is_prepared).Done();
  *c.add_args() = rest.args(0);
  AddScratch("workspace", &c);
  CaseBuilder last("");
  last.Int("fusion_level", 0)
      .Tensor("key_cache", v1::ROLE_INOUT, Spec(v1::Dtype::float32, {1}))
      .Tensor("value_cache", v1::ROLE_INOUT, Spec(v1::Dtype::float32, {1}));
  for (const char* name : {"layer_id", "local_head_num", "local_kv_head_num", "size_per_head", "max_seq_len",
                           "max_q_len", "max_kv_len", "rotary_embedding"}) {
    last.Int(name, 1);
  }
  const v1::Case end = last.Float("rope_theta", 1).Done();
  c.mutable_args()->MergeFrom(end.args());
  return c;
}

TensorMap Inputs() {
  TensorMap inputs = {{"inoutput", FloatTensor({3}, {1, 2, 3})}};
  for (const char* name : {"weight1", "weight2", "weight3", "qkv_weight", "key_cache", "value_cache"}) {
    inputs.emplace(name, FloatTensor({1}, {1}));
  }
  return inputs;
}

RunResult RunOn(const v1::Case& c) {
  auto vendor = VendorLibrary::Open(VendorPath("scratch"), "");
  EXPECT_TRUE(vendor.ok()) << vendor.status();
  CaseRunner runner(vendor->get());
  static const auto* const inputs = new TensorMap(Inputs());
  std::vector<InputView> views;
  for (const auto& [key, tensor] : *inputs) {
    views.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  return runner.Run(c, views, RunOptions());
}

std::vector<float> Result(const RunResult& run) {
  const OutputTensor& out = run.outputs.at(0);
  return Floats({static_cast<Dtype>(out.dtype), out.shape, out.data});
}

TEST(Scratch, IsAsLargeAsTheLibraryAsksAndThereInEveryCall) {
  const RunResult run = RunOn(Ffn(0));
  EXPECT_TRUE(run.reply.failed().empty());
  EXPECT_TRUE(run.reply.findings().empty()) << run.reply.ShortDebugString();
  EXPECT_TRUE(run.reply.differs().empty());
  EXPECT_EQ(Result(run), (std::vector<float>{2, 4, 6}));
}

TEST(Scratch, ALibraryMustSayHowMuchAndDoNothingElse) {
  const auto wrong = [](int way) { return FindingsText(RunOn(Ffn(way)).reply.failed()); };
  EXPECT_EQ(wrong(1),
            "called with workspace_size -1 to learn the size of workspace, the library left it at -1");
  EXPECT_EQ(wrong(2), "a call that only asks for the size of scratch memory changed inoutput");
  EXPECT_EQ(wrong(3), "the library asks for 1125899906842624 elements of workspace");
  EXPECT_EQ(RunOn(Ffn(4)).reply.error_code(), 1);
}

TEST(Scratch, HoldsPoisonAndIsGuarded) {
  EXPECT_FALSE(RunOn(Ffn(5)).reply.differs().empty());
  const RunResult past = RunOn(Ffn(6));
  ASSERT_EQ(past.reply.findings_size(), 1);
  EXPECT_EQ(past.reply.findings(0).code(), v1::Finding::WRITTEN_PAST_END);
  EXPECT_EQ(past.reply.findings(0).name(), "workspace");
}

TEST(Scratch, IsPreparedByACallBeforeTheOneThatCounts) {
  const RunResult prepared = RunOn(Attention(true));
  EXPECT_TRUE(prepared.reply.failed().empty());
  EXPECT_EQ(Result(prepared), (std::vector<float>{41, 2, 3}));
  EXPECT_EQ(Result(RunOn(Attention(false))), (std::vector<float>{1, 2, 3}));
}

TEST(Scratch, IsThereForTimingToo) {
  auto caller = CaseCaller::Open(VendorPath("scratch"), false);
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_TRUE((*caller)->Call(Ffn(0), Inputs(), 3).ok());
  EXPECT_TRUE((*caller)->Call(Attention(true), Inputs(), 2).ok());
  EXPECT_THAT((*caller)->Call(Ffn(1), Inputs(), 1).message(), HasSubstr("left it at -1"));
}

}  // namespace
}  // namespace diopi::loader
