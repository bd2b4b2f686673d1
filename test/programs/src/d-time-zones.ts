const { orders } = await tools.list_orders({ status: 'pending' })
const day = (iso: string, timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(iso))
const late = orders.find((order) => order.id === 2)
return [day(late.placed_at, 'UTC'), day(late.placed_at, 'Asia/Tokyo'), day(late.placed_at, 'America/New_York')]
