/** The roles of a business's people, the most powerful first (decision 371). */
export const TEAM_ROLES = ['owner', 'manager', 'agent'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** An operator belongs to no business. */
export const ROLES = [...TEAM_ROLES, 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** The column `role` of access.users, where gateways of the previous version wrote `member`. */
export const ROLE_COLUMN = `CASE role WHEN 'member' THEN 'agent' ELSE role END AS role`;

/** The user of a dashboard request; `business_id` is null only for operators. */
export interface SessionUser {
  user_id: number;
  email: string;
  name: string;
  role: Role;
  business_id: number | null;
  /** Whether the user logs in with codes of an authenticator app. */
  totp: boolean;
  totp_required: boolean;
}

/** A user of a business. */
export type BusinessUser = SessionUser & { business_id: number };
