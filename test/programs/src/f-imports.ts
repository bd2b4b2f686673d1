import { tools } from 'codeferry'
import type { Whatever } from './types'

const user = await tools.get_user({ id: 2 })
return [user.name, user.team ?? 'none']
