/** A callback of the platform (platform §4.3 to §4.6). Any member may be absent. */
export interface PlatformWebhook {
  object: string;
  entry?: WebhookEntry[];
}

export interface WebhookEntry {
  /** The business account. */
  id: string;
  time?: number;
  changes?: WebhookChange[];
}

export interface WebhookChange {
  /** `messages`, `message_template_status_update`, `user_preferences`, `account_update`, ... */
  field: string;
  value?: WebhookValue;
}

/** The value of field `messages`; other fields have members of their own. */
export interface WebhookValue {
  messaging_product?: string;
  metadata?: { display_phone_number?: string; phone_number_id?: string };
  contacts?: WebhookContact[];
  messages?: WebhookMessage[];
  statuses?: WebhookStatus[];
  errors?: WebhookError[];
  [member: string]: unknown;
}

export interface WebhookContact {
  profile?: { name?: string; username?: string };
  wa_id?: string;
  user_id?: string;
}

export interface WebhookMessage {
  id: string;
  /** Seconds since 1970, as text. */
  timestamp: string;
  type: string;
  /** Absent when the platform withholds the phone (platform §4.7). */
  from?: string;
  from_user_id?: string;
  context?: { from?: string; id?: string; forwarded?: boolean; frequently_forwarded?: boolean };
  text?: { body?: string };
  button?: { payload?: string; text?: string };
  interactive?: {
    type?: string;
    button_reply?: { id?: string; title?: string };
    list_reply?: { id?: string; title?: string; description?: string };
    nfm_reply?: { name?: string; body?: string; response_json?: string };
  };
  /** Coexistence numbers only. */
  edit?: { original_message_id?: string; message?: Record<string, unknown> };
  /** Coexistence numbers only. */
  revoke?: { original_message_id?: string };
  errors?: WebhookError[];
  /** The object named by `type`, for example `image`. */
  [member: string]: unknown;
}

export interface WebhookStatus {
  id: string;
  /** sent, delivered, read, failed, played, or one we do not know yet. */
  status: string;
  /** Seconds since 1970, as text. */
  timestamp: string;
  recipient_id?: string;
  recipient_user_id?: string;
  recipient_parent_user_id?: string;
  biz_opaque_callback_data?: string;
  errors?: WebhookError[];
  [member: string]: unknown;
}

export interface WebhookError {
  code?: number;
  title?: string;
  message?: string;
  error_data?: { details?: string };
  href?: string;
}
