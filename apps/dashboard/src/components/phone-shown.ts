/** A number as people read it; a business-scoped user id as it is. */
export const phoneShown = (phone: string) => (/^\d+$/.test(phone) ? `+${phone}` : phone);
