const out = []
for (const [name, args] of [['get_weather', { city: 'Oslo' }], ['get_user', { id: 1 }]] as const) out.push(await tools[name](args))
const has = 'get_user' in tools && !('drop_all' in tools)
return [out[0].temp, out[1].name, has, Object.keys(tools).sort()]
