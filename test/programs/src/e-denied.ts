try {
  const { ref } = await tools.pay({ invoice: 7, amount: 12.5 })
  return ref
} catch (error) {
  return error.code
}
