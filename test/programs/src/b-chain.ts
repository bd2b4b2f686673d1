const chain: string[] = []
let id: number | null = 3
while (id !== null) {
  const user = await tools.get_user({ id })
  chain.push(user.name)
  id = user.manager_id
}
return chain.join(' < ')
