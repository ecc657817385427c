// Layers are enforced here with a message that names the right place; test/unit/layers.test.ts walks the imports as well.
import tseslint from 'typescript-eslint';
import { LAYERS } from './layers.mjs';

/** Every folder of src/: a path into any other folder stays within its own layer. */
const FOLDERS = [...new Set([...Object.keys(LAYERS), 'tools', 'mcp', 'cli', 'web', 'dev', 'testing'])];

const layerRules = Object.entries(LAYERS).map(([layer, { mayImport, why }]) => ({
  files: [`src/${layer}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${FOLDERS.filter((folder) => folder !== layer && !mayImport.includes(folder)).join('|')})(/|$)`,
            allowTypeImports: layer === 'workflows',
            message: `src/${layer} may import only: ${mayImport.join(', ') || 'nothing'}. ${why}`,
          },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'coverage', 'test/.stack', '.solidloop', '.cache', 'src/db/tables/generated.ts'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use an `as const` object or a union (style: no enum).' },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'worker.ts', 'examples/**/*.ts'],
    ignores: ['src/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read in src/config alone.' },
      ],
    },
  },
  {
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', 'setInterval', 'fetch'].map((name) => ({
          name,
          message: 'Workflow code runs in the sandbox: do it in an activity.',
        })),
      ],
    },
  },
  ...layerRules,
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off', '@typescript-eslint/unbound-method': 'off', 'no-restricted-properties': 'off' },
  },
);
