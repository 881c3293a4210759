// Tests of the built page in a real browser: one after the other, each file with servers of its own.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['testing/**/*_test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
