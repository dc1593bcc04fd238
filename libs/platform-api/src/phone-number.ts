/** `GET /{phone_number_id}` (platform §3.3). */
export interface PhoneNumberNode {
  id: string;
  display_phone_number?: string;
  verified_name?: string;
  /** Must be `CONNECTED` to send. */
  status?: string;
  quality_rating?: string;
  name_status?: string;
  code_verification_status?: string;
  platform_type?: string;
  throughput?: { level: string };
  whatsapp_business_manager_messaging_limit?: string;
  health_status?: HealthStatus;
}

interface HealthStatus {
  /** `AVAILABLE`, `LIMITED` or `BLOCKED`. */
  can_send_message: string;
  entities?: HealthEntity[];
}

interface HealthEntity {
  entity_type: string;
  id: string;
  can_send_message: string;
  errors?: { error_code: number; error_description: string; possible_solution?: string }[];
  additional_info?: string[];
}

export const PHONE_NUMBER_FIELDS = [
  'id',
  'display_phone_number',
  'verified_name',
  'status',
  'quality_rating',
  'name_status',
  'code_verification_status',
  'platform_type',
  'throughput',
  'whatsapp_business_manager_messaging_limit',
  'health_status',
] as const;
