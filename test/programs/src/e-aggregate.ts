try {
  return await Promise.any([tools.broken({ id: 1 }), tools.broken({ id: 2 })])
} catch (error) {
  return [error.name, error.errors.length, error.errors.every((e) => e.message.includes('database'))]
}
