async function main() {
  const { orders, count } = await tools.list_orders({ limit: 10 })
  return { count, sum: orders.reduce((sum, order) => sum + order.total, 0) }
}
