import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { noSession } from '../requests/refusals';
import { SESSION_STRATEGY } from './session.strategy';

/** Responds 401 to every request without a valid session (spec §10). */
@Injectable()
export class SessionGuard extends AuthGuard(SESSION_STRATEGY) {
  override handleRequest<User>(fault: unknown, user: User | false): User {
    if (fault) throw fault;
    if (!user) throw noSession();
    return user;
  }
}
