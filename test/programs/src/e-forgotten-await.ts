const result = tools.list_orders({ limit: 5 })
return result.orders.length
