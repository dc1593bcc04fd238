import { Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { noSession } from '../requests/refusals';
import { SESSION_STRATEGY } from './session.strategy';

/** 401 for every request without a living session (product §2), whatever is wrong with it. */
@Injectable()
export class SessionGuard extends AuthGuard(SESSION_STRATEGY) {
  override handleRequest<User>(fault: unknown, user: User | false): User {
    if (fault) throw fault;
    if (!user) throw noSession();
    return user;
  }
}
