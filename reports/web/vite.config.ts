import { defineConfig } from 'vitest/config';
import { FINDINGS } from './findings_folder';
import { inlinePage } from './inline_page';

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    chunkSizeWarningLimit: 1000,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
  plugins: [inlinePage()],
  resolve: { alias: { '@findings': FINDINGS } },
  // By number: a bare container may have no name for it.
  server: {
    host: '127.0.0.1',
    proxy: { '/api': process.env['DIOPI_SERVER'] ?? 'http://127.0.0.1:7411' },
    fs: { allow: ['.', FINDINGS] },
  },
  test: { include: ['src/**/*_test.ts'] },
});
