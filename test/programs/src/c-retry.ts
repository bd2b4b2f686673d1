async function withRetry<T>(work: () => Promise<T>, attempts = 5): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, 5 * 2 ** attempt))
    }
  }
}
const { value } = await withRetry(() => tools.flaky({ key: 'k' }))
return value
