const services = ['api', 'db']
const checks = await Promise.all(services.map((service) => tools['get-status']({ service })))
const sick = checks.filter((check) => !check.healthy)
const slowest = checks.toSorted((a, b) => b.latency_ms - a.latency_ms)[0]
if (sick.length > 0) {
  const note = await tools.send_message({ channel: 'ops', text: `${sick.map((s) => s.service)} down` })
  console.warn(note.id, note.ts)
}
const cost = await tools.convert({ amount: 10, from: 'EUR', to: 'USD' })
return { slowest: slowest.service, cost: `${cost.amount} ${cost.currency}` }
