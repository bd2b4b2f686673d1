const { rows, row_count } = await tools.run_query({ sql: 'select * from sales where year = ?', params: [2026] })
const byRegion = Object.groupBy(rows, (row) => row.region)
return { row_count, EU: byRegion.EU?.reduce((sum, row) => sum + row.amount, 0) }
