const label = '👩‍👩‍👧‍👦 家族'
const w = await tools.get_weather({ city: '東京', unit: 'kelvin' })
return [label, w.temp]
