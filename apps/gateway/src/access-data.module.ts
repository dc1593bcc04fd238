import { Module } from '@nestjs/common';
import { ApiKeysStore } from './api-keys/api-keys.store';
import { BusinessesStore } from './businesses/businesses.store';
import { AuditStore } from './operator/audit.store';
import { LimitsStore } from './operator/limits.store';
import { LoginAttemptsStore } from './sessions/login-attempts.store';
import { SessionsStore } from './sessions/sessions.store';
import { UsersStore } from './users/users.store';

const stores = [ApiKeysStore, AuditStore, BusinessesStore, LimitsStore, LoginAttemptsStore, SessionsStore, UsersStore];

/** The schema `access`: who may use the gateway, and how much. Nothing else reads or writes it. */
@Module({ providers: stores, exports: stores })
export class AccessDataModule {}
