// Tests of the built page in a real browser: two files at a time, each with servers of its own.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  server: { host: '127.0.0.1' }, // by number: a bare container may have no name for it
  test: {
    include: ['testing/**/*_test.ts'],
    maxWorkers: 2,
    minWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
