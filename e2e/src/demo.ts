/** The access to a started product, as `npm start` reports it. */
export interface DemoBusiness {
  id: number;
  name: string;
  plan: string;
  phone_number_id: string;
  business_account_id: string;
  owner: { email: string; password: string };
  api_key: string;
}
export interface Demo {
  base_url: string;
  site_url: string;
  dashboard_url: string;
  simulator_url: string;
  verify_token: string;
  app_secret: string;
  operator: { email: string; password: string };
  businesses: DemoBusiness[];
}
