function groupBy<T, K extends string>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const group = groups.get(key(item)) ?? []
    group.push(item)
    groups.set(key(item), group)
  }
  return groups
}
const { orders } = await tools.list_orders({ status: 'paid' })
const groups = groupBy(orders, (order) => order.customer)
const out: Record<string, number> = {}
for (const [id, group] of groups) {
  const customer = await tools.get_customer({ id })
  out[customer.name] = group.reduce((sum, order) => sum + order.total, 0)
}
return out
