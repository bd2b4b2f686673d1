tools.send_message({ channel: 'ops', text: 'hello' })
return 'sent'
