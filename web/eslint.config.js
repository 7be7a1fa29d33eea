import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['dist/', '**/node_modules/', 'src/console/api/'] },
  js.configs.recommended,
  ts.configs.recommendedTypeChecked,
  svelte.configs.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, extraFileExtensions: ['.svelte'] } },
    rules: {
      // The parser of Svelte files does not know the types of components and snippets; svelte-check does.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_$', ignoreRestSiblings: true }],
    },
  },
  { files: ['src/**'], languageOptions: { globals: globals.browser } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      // Collections that never change after they are built need not be reactive. svelte-check finds unused ignores.
      'svelte/prefer-svelte-reactivity': 'off',
      'svelte/no-unused-svelte-ignore': 'off',
      // `{' '}` keeps a space that Prettier would otherwise break a line at.
      'svelte/no-useless-mustaches': 'off',
    },
  },
  {
    files: ['*.js', 'scripts/*.mjs', 'src/console/*.js'],
    ...ts.configs.disableTypeChecked,
    languageOptions: { globals: { ...globals.node, ...globals.browser }, parserOptions: { projectService: false } },
  },
);
