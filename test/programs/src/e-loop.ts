const user = await tools.get_user({ id: 1 })
console.log('got', user.name)
for (;;) {}
