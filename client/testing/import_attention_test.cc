// Attention as the public harness calls it: `diopi-cli import-cases` fills in what the harness computes.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

constexpr char kAttentionConfigs[] = R"(import numpy as np
diopi_configs = {
    'rotation': dict(name=['rotary_emb'], dtype=[np.float32], para=dict(conj=[True], interleaved=[False]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['input'], "shape": ((3, 8, 16),)}, {"ins": ['cos'], "shape": ((3, 1, 8),)},
        {"ins": ['sin'], "shape": ((3, 1, 8),)}])),
    'heads': dict(name=['multihead_attention'], dtype=[np.float16],
        para=dict(dropout_p=[0, 0], is_causal=[False, True], return_debug_mask=[False, False], scale=[None, 0.3]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['q', 'k', 'v'], "shape": ((2, 5, 2, 16), (1, 7, 3, 32)), "requires_grad": [True]}])),
    'heads_of_sequences': dict(name=['multihead_attention_varlen'], dtype=[np.float16],
        para=dict(cu_seqlens=[[0, 0, 3, 9]], max_seqlen=[6], dropout_p=[0], is_causal=[True],
                  return_debug_mask=[False], scale=[None]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[{"ins": ['q', 'k', 'v'], "shape": ((9, 2, 16),)}])),
    'flash': dict(name=['flash_attention'],
        para=dict(p_dropout=[0], is_causal=[True], softmax_scale=[None], window_size_left=[-1],
                  window_size_right=[-1]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['q', 'k', 'v'], "shape": ((1, 9, 2, 32),), "dtype": [np.float16]},
        {"ins": ['alibi_slopes'], "shape": (None,), "dtype": [np.float32]}])),
    'sequences': dict(name=['flash_attention_varlen'],
        para=dict(p_dropout=[0], is_causal=[False], softmax_scale=[0.125], max_seqlen_q=[7], max_seqlen_kv=[7],
                  cu_seqlens_q=[[0, 7, 9]], cu_seqlens_kv=[[0, 7, 9]], window_size_left=[-1],
                  window_size_right=[-1]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['q', 'k', 'v'], "shape": ((9, 2, 32),), "dtype": [np.float16]},
        {"ins": ['alibi_slopes'], "shape": (None,), "dtype": [np.float32]}])),
    'layouts': dict(name=['customized_flash_attention'],
        para=dict(p_dropout=[0, 0], is_causal=[True, False], softmax_scale=[None, 0.5], window_size_left=[-1, -1],
                  window_size_right=[-1, -1], head_num=[2, 2], input_layout=['SBH', 'BNSD']),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['q', 'k', 'v'], "shape": ((5, 1, 32), (1, 2, 5, 16)), "dtype": [np.float16]},
        {"ins": ['alibi_slopes'], "shape": (None, None), "dtype": [np.float32]}])),
    'long_mask': dict(name=['customized_flash_attention_varlen'],
        para=dict(p_dropout=[0, 0], is_causal=[True, True], softmax_scale=[None, None], max_seqlen_q=[6, 2560],
                  max_seqlen_kv=[6, 2560], cu_seqlens_q=[[6, 9], [2560]], cu_seqlens_kv=[[6, 9], [2560]],
                  window_size_left=[-1, -1], window_size_right=[-1, -1]),
        tensor_para=dict(gen_fn='Genfunc.randn', args=[
        {"ins": ['q', 'k', 'v'], "shape": ((9, 2, 16), (2560, 2, 16)), "dtype": [np.float16]},
        {"ins": ['alibi_slopes'], "shape": (None, None), "dtype": [np.float32]}])),
    'context': dict(name=['context_attention'], para=dict(max_input_len=[7]), tensor_para=dict(args=[
        {"ins": ['q', 'k', 'v', 'out'], "shape": ((10, 2, 16),), "dtype": [np.float16, np.float32]},
        {"ins": ['b_start_loc'], "value": ((0, 3),), "dtype": [np.int32, np.int32]},
        {"ins": ['b_seq_len'], "value": ((3, 7),), "dtype": [np.int32, np.int32]}])),
    'tokens': dict(name=['token_attention'], para=dict(max_input_len=[3]), tensor_para=dict(args=[
        {"ins": ['q'], "shape": ((2, 2, 16),), "dtype": [np.float32]},
        {"ins": ['k'], "shape": ((8, 2, 16),), "dtype": [np.float32]},
        {"ins": ['out'], "shape": ((2, 5),), "dtype": [np.float32]},
        {"ins": ['b_loc'], "value": ([[4, 1, 2], [0, 3, 5]],), "dtype": [np.int32]},
        {"ins": ['b_start_loc'], "value": ([0, 3],), "dtype": [np.int32]},
        {"ins": ['b_seq_len'], "value": ([3, 2],), "dtype": [np.int32]}])),
    'prompts': dict(name=['prompt_flash_attention'],
        para=dict(maxInputLen=[2], actualSeqLengths=[[2, 2]], numHeads=[2], numKeyValueHeads=[1], dim=[16]),
        tensor_para=dict(args=[{"ins": ['query'], "shape": ((4, 32),), "dtype": [np.float16]},
        {"ins": ['key', 'value'], "shape": ((4, 16),), "dtype": [np.float16]},
        {"ins": ['attenMask'], "value": ([[[False, True], [False, False]], [[False, True], [False, False]]],),
         "dtype": [np.bool_]}])),
    'pages': dict(name=['paged_attention'],
        para=dict(actualSeqLengths=[[5]], numHeads=[2], numKeyValueHeads=[2], dim=[16], blockSize=[4]),
        tensor_para=dict(args=[{"ins": ['query'], "shape": ((1, 32),), "dtype": [np.float16]},
        {"ins": ['key', 'value'], "shape": ((12, 32),), "dtype": [np.float16]},
        {"ins": ['attenMask'], "value": ([[[False, False, False, False, False]]],), "dtype": [np.bool_]},
        {"ins": ['blockTable'], "value": ([[2, 0]],), "dtype": [np.int32]}])),
}
)";

TEST(ImportAttention, TheHarnessCallsAreCarriedOver) {
  const TestFolder folder;
  WriteFile(folder / "configs.py", kAttentionConfigs);
  const Finished run = RunProgram({BinPath("diopi-cli"), "import-cases", folder / "configs.py", "--output",
                                   folder / "mine", "--verbose"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(absl::StrContains(run.out, "case 1: a mask of 2048 x 2048 elements\n")) << run.out;
  EXPECT_TRUE(absl::StrContains(run.out, "14 of 15 cases imported: ")) << run.out;
  const Finished tested = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                                      folder / "data", "--cases", folder / "mine", "--case", "*.public_*",
                                      "--error-report", folder / "errors.csv", "--quiet"});
  EXPECT_EQ(tested.code, 0) << tested.out << tested.err;
  std::map<std::string, int> passed;  // by operator
  for (const auto& row : ReportRows(folder / "data", "latest")) {
    EXPECT_EQ(row.at("outcome"), "pass") << row.at("case") << row.at("reason");
    ++passed[row.at("case").substr(0, row.at("case").find('.'))];
  }
  const std::map<std::string, int> expected = {{"context_attention", 2},
                                               {"customized_flash_attention", 4},
                                               {"customized_flash_attention_varlen", 2},
                                               {"flash_attention", 2},
                                               {"flash_attention_varlen", 2},
                                               {"multi_head_attention", 4},
                                               {"multi_head_attention_varlen", 2},
                                               {"paged_attention", 1},
                                               {"prompt_flash_attention", 1},
                                               {"rotary_embedding", 1},
                                               {"token_attention", 1}};
  EXPECT_EQ(passed, expected);
}

}  // namespace
}  // namespace diopi::testing
