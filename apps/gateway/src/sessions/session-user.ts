/** Roles of spec §10 and §11. An operator belongs to no business. */
export type Role = 'owner' | 'member' | 'operator';

/** The user of a dashboard request; `business_id` is null only for operators. */
export interface SessionUser {
  user_id: number;
  email: string;
  name: string;
  role: Role;
  business_id: number | null;
}

/** A user of a business. */
export type BusinessUser = SessionUser & { business_id: number };
