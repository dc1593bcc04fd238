/** The product in every request to WhatsApp, to webhooks and to models. WhatsApp's hosts of files refuse a request without one. */
export const USER_AGENT = 'messaging-gateway/1.0';
