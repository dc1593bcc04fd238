/** A callback of the platform (platform §4.3 to §4.6). Any member may be absent. */
export interface PlatformCallback {
  object: string;
  entry?: CallbackEntry[];
}

export interface CallbackEntry {
  /** The business account. */
  id: string;
  time?: number;
  changes?: CallbackChange[];
}

export interface CallbackChange {
  /** `messages`, `message_template_status_update`, `user_preferences`, `account_update`, ... */
  field: string;
  value?: CallbackValue;
}

/** The value of field `messages`; other fields have members of their own. */
export interface CallbackValue {
  messaging_product?: string;
  metadata?: { display_phone_number?: string; phone_number_id?: string };
  contacts?: CallbackContact[];
  messages?: CallbackMessage[];
  statuses?: CallbackStatus[];
  errors?: CallbackError[];
  [member: string]: unknown;
}

export interface CallbackContact {
  profile?: { name?: string; username?: string };
  wa_id?: string;
  user_id?: string;
}

export interface CallbackMessage {
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
  errors?: CallbackError[];
  /** The object named by `type`, for example `image`. */
  [member: string]: unknown;
}

export interface CallbackStatus {
  id: string;
  /** sent, delivered, read, failed, played, or one we do not know yet. */
  status: string;
  /** Seconds since 1970, as text. */
  timestamp: string;
  recipient_id?: string;
  recipient_user_id?: string;
  recipient_parent_user_id?: string;
  biz_opaque_callback_data?: string;
  /** `{billable, category, type}`, unchecked. */
  pricing?: unknown;
  errors?: CallbackError[];
  [member: string]: unknown;
}

interface CallbackError {
  code?: number;
  title?: string;
  message?: string;
  error_data?: { details?: string };
  href?: string;
}
