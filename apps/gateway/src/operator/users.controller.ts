import { Controller, Delete, Param, Post } from '@nestjs/common';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';
import { PasswordLinks, ResetLink } from '../users/password-links';
import { TotpService } from '../users/totp.service';
import { UsersService } from '../users/users.service';

/** The users of all businesses, and other operators. */
@Controller('api/admin/users')
@NeedsSession()
export class OperatorUsersController {
  constructor(
    private readonly users: UsersService,
    private readonly links: PasswordLinks,
    private readonly totp: TotpService,
  ) {}

  @Post(':id/reset')
  @Responds(ResetLink, 'Make a link with which a user sets a new password', { errors: ['CONFLICT'] })
  async reset(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) id: number) {
    return this.links.reset(await this.users.reset(operator, id));
  }

  @Delete(':id/totp')
  @Responds(Done, 'Turn two-step login off for a user who lost their codes; their sessions end', { errors: ['CONFLICT'] })
  async removeTotp(@CurrentUser() operator: SessionUser, @Param('id', IdPipe) id: number) {
    await this.totp.removeFor(operator, id);
    return { message: 'Two-step login is off for this user.' };
  }
}
