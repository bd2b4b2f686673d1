import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real processes, real servers: generous, so that a busy machine fails nothing.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // CI machines stall for seconds at times, and these tests kill, wait for and count real processes. A second try is
    // reported by name; what is broken fails it as well. At home there is none.
    retry: process.env.CI === undefined ? 0 : 1,
    reporters: ['default'],
  },
})
