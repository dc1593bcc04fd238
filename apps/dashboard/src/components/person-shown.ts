/** A person in the name of a control: two people of a team may have one name, and no two have one email. */
export const personShown = ({ name, email }: { name: string; email: string }): string => `${name} (${email})`;
