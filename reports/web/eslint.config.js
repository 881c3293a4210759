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
  // Texts live in src/texts, one catalogue per language; a catalogue is as long as it is, as are generated types.
  {
    files: ['src/**/*.tsx'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          ':not(JSXElement[openingElement.name.name=/^(code|kbd)$/]) > JSXText[value=/[a-z]{2}/]',
          'JSXAttribute[name.name=/^(aria-label|title|label|placeholder|says|alt)$/] > Literal',
        ].map((selector) => ({
          selector,
          message: 'Take texts from the catalogues: t() or rich() of lib/i18n.',
        })),
      ],
    },
  },
  { files: ['src/texts/*.ts', 'src/api/messages.ts'], rules: { 'max-lines': 'off' } },
  // A test's "describe" is one function around many.
  { files: ['**/*_test.ts', 'testing/**'], rules: { 'max-lines-per-function': 'off' } },
);
