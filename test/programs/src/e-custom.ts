class LoadError extends Error {
  constructor(message: string, readonly id: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LoadError'
  }
}
try {
  await tools.broken({ id: 5 })
} catch (cause) {
  throw new LoadError('could not load 5', 5, { cause })
}
