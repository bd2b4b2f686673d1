const csv = await tools.read_file({ path: 'a.csv', encoding: 'utf8' })
const prices: Record<string, number> = JSON.parse((await tools.read_file({ path: 'b.json' })).text)
const [header, ...rows] = csv.text.trim().split('\n').map((line) => line.split(','))
return rows.map((row) => Object.fromEntries(header.map((key, i) => [key, row[i]]))).map((row) => ({ ...row, cost: Number(row.qty) * prices[row.name] }))
