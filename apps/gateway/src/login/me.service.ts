import { Injectable } from '@nestjs/common';
import { BusinessesStore } from '../businesses/businesses.store';
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
    return { user, business: { id: business_id, name: business.name, plan: business.plan, ...zoneFields(business), whatsapp_connected } };
  }
}
