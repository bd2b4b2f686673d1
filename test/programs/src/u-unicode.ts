const städte = ['東京', 'São Paulo']
const 結果 = await Promise.all(städte.map((city) => tools.get_weather({ city })))
return 結果.map((w) => `${w.city} ${w.temp}° ${'🌡️'.normalize()}`)
