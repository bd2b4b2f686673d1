const cities = ['Oslo', 'Lima', 'Kyiv']
const temps: number[] = []
for (const [i, city] of cities.entries()) {
  progress(`reading ${city}`, i / cities.length)
  temps.push((await tools.get_weather({ city })).temp)
}
console.table(temps)
console.error('done')
return Math.max(...temps)
