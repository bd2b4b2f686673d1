const { orders } = await tools.list_orders({})
const ids = [...new Set(orders.map((order) => order.customer))]
const customers = new Map(await Promise.all(ids.map(async (id) => [id, await tools.get_customer({ id })] as const)))
return orders
  .filter((order) => customers.get(order.customer)?.tier === 'pro')
  .map((order) => `${customers.get(order.customer)?.email} ${order.lines.reduce((n, line) => n + line.qty, 0)}`)
