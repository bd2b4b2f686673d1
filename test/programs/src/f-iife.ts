(async () => {
  const user = await tools.get_user({ id: 3 })
  console.log('manager', user.manager_id)
  return user.name
})()
