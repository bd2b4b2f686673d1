const user = await tools.get_user({ id: 1 })
await tools.send_mesage({ channel: 'x', text: user.name })
return 'sent'
