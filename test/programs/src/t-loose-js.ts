const acc = {}
const seen = []
const { orders } = await tools.list_orders()
orders.forEach(function (o) {
  acc[o.customer] = (acc[o.customer] || 0) + o.total
  acc.last = o.id
  seen.push(o.id)
})
const byAge = orders.slice().sort((a, b) => new Date(b.placed_at) - new Date(a.placed_at))
let best
for (var i = 0; i < byAge.length; i++) if (!best || byAge[i].total > best.total) best = byAge[i]
return { acc, first: byAge[0].id, best: best.id, seen }
