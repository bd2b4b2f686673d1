export default async function report() {
  const oslo = await tools.get_weather({ city: 'Oslo' })
  return `${oslo.city}: ${oslo.conditions}, ${oslo.temp}`
}
