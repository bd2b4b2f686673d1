import type { Route } from '../route.ts'
import { APPROVAL_ROUTES } from './approvals.ts'
import { RUN_ROUTES } from './runs.ts'
import { SESSION_ROUTES } from './sessions.ts'
import { STATUS_ROUTES } from './status.ts'
import { TOOL_ROUTES } from './tools.ts'

/** Every route of the service: what is served, what is documented and what is tested read this list. */
export const ROUTES: readonly Route[] = [
  ...RUN_ROUTES,
  ...SESSION_ROUTES,
  ...TOOL_ROUTES,
  ...APPROVAL_ROUTES,
  ...STATUS_ROUTES,
]
