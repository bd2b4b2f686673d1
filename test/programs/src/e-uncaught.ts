const user = await tools.get_user({ id: 1 })
const rows: any = { list: null }
console.log('before', user.name)
return rows.list.map((row) => row.id)
