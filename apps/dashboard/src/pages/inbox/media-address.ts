/** The gateway streams the file from WhatsApp. */
export const mediaAddress = (id: string) => `/api/client/media/${encodeURIComponent(id)}`;
