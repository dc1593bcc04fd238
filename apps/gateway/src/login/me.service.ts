import { Injectable } from '@nestjs/common';
import { broadcastDailyLimit, BusinessesStore } from '../businesses/businesses.store';
import { zoneFields } from '../businesses/zones';
import { ConnectionService } from '../connection/connection.service';
import type { SessionUser } from '../sessions/session-user';
import type { Me } from './login.responses';

@Injectable()
export class MeService {
  constructor(
    private readonly businesses: BusinessesStore,
    private readonly connections: ConnectionService,
  ) {}

  async describe({ user_id, email, name, role, business_id }: SessionUser): Promise<Me> {
    const user = { id: user_id, email, name, role };
    if (business_id === null) return { user, business: null };
    const [business, whatsapp_connected] = await Promise.all([
      this.businesses.find(business_id),
      this.connections.isConnected(business_id),
    ]);
    if (!business) return { user, business: null };
    const { name: businessName, plan } = business;
    const fields = { id: business_id, name: businessName, plan, ...zoneFields(business) };
    return { user, business: { ...fields, broadcast_daily_limit: broadcastDailyLimit(business), whatsapp_connected } };
  }
}
