const { paid, ref } = await tools.pay({ invoice: 7, amount: 12.5 })
if (paid) await tools.send_message({ channel: 'billing', text: `paid ${ref}` })
return ref
