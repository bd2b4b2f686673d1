const ids = [1, 2]
const load = tools.get_user
const names = await Promise.all(ids.map((id) => load.call(null, { id })))
const bound = tools.get_user.bind(undefined)
return [...names.map((user) => user.name), (await bound({ id: 3 })).name, typeof tools.get_user, tools.hasOwnProperty === undefined]
