const to: any = 'GBP'
try {
  await tools.convert({ amount: 1, from: 'EUR', to })
} catch (error) {
  return [error.code, error.message.includes('to')]
}
