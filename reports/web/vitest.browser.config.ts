// Tests of the built page in a real browser: one after the other, each file with servers of its own.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  server: { host: '127.0.0.1' }, // by number: a bare container may have no name for it
  test: {
    include: ['testing/**/*_test.ts'],
    fileParallelism: false,
    expect: { poll: { timeout: 10_000 } }, // a busy machine is slow
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
