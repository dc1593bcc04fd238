/** The state of a token (`GET /debug_token`, platform §3.3). */
export interface TokenNode {
  is_valid: boolean;
  app_id?: string;
  /** Seconds since 1970; 0 for a token that never expires. */
  expires_at?: number;
  scopes?: string[];
  /** Without `target_ids` the scope holds for every object of the business. */
  granular_scopes?: { scope: string; target_ids?: string[] }[];
}

/** An app that gets the callbacks of an account. */
export interface SubscribedApp {
  whatsapp_business_api_data?: { id?: string; name?: string };
}

/** The addresses of callbacks. The number's own comes first, then the account's, then the app's. */
export interface WebhookConfiguration {
  phone_number?: string;
  whatsapp_business_account?: string;
  application?: string;
}
