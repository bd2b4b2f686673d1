function* pairs() {
  for (const from of ['EUR', 'JPY'] as const) for (const amount of [1, 10]) yield { from, amount }
}
const rates: number[] = []
for (const { from, amount } of pairs()) rates.push((await tools.convert({ amount, from, to: 'USD' })).amount)
return rates
