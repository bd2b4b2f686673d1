const timeout = new Promise((_, reject) => setTimeout(() => reject(new Error('too slow')), 50))
try {
  await Promise.race([tools.never({}), timeout])
  return 'done'
} catch (error) {
  return error.message
}
