import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 80, skipComments: true, skipBlankLines: true }],
      eqeqeq: 'error',
    },
  },
  // A test's "describe" is one function around many.
  { files: ['**/*_test.ts', 'testing/**'], rules: { 'max-lines-per-function': 'off' } },
);
