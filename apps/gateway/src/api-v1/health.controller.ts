import { Controller, Get, Req } from '@nestjs/common';
import { GetConnection, type Connection } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyRequest } from 'fastify';
import { CurrentKey, RestApi } from '../access/rest-api';
import type { KeyAccess } from '../api-keys/key-access';
import { Responds } from '../responses/responds';
import { HealthResponse } from './api-v1.responses';

/** How long a health check waits for the state of the connection. */
const CONNECTION_WITHIN_MS = 1_000;

@Controller('api/v1/health')
@RestApi()
export class HealthController {
  constructor(private readonly rpc: RpcClient) {}

  /** Spec §4.1. It never calls the platform (platform §3.3). */
  @Get()
  @Responds(HealthResponse, 'Check the key and the messaging connection')
  async health(@CurrentKey() { api_key_name, business }: KeyAccess, @Req() { id }: FastifyRequest) {
    const connection = await this.connectionOf(business.id, id);
    return {
      success: true as const,
      business: business.name,
      whatsapp_connected: connection !== null && connection.status !== 'problem',
      api_key_name,
      timestamp: new Date().toISOString(),
      ...(connection?.restriction && { restriction: connection.restriction }),
    };
  }

  /** @returns null if there is none, or if the template service does not respond in time */
  private async connectionOf(business_id: number, requestId: string): Promise<Connection | null> {
    try {
      const { connection } = await this.rpc.call(
        GetConnection,
        { business_id },
        { requestId, deadlineAt: Date.now() + CONNECTION_WITHIN_MS },
      );
      return connection;
    } catch {
      return null;
    }
  }
}
