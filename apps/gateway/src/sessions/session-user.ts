/** Roles of spec §10 and §11. An operator belongs to no business. */
export type Role = 'owner' | 'member' | 'operator';

/** Who a dashboard request comes from; `business_id` is null for operators only. */
export interface SessionUser {
  user_id: number;
  email: string;
  name: string;
  role: Role;
  business_id: number | null;
}

/** The same, once it is certain that the user acts for a business. */
export type BusinessUser = SessionUser & { business_id: number };
