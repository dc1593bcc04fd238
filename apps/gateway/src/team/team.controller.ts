import { Body, Controller, Delete, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime, UnassignConversations } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { TEAM_ROLES, type BusinessUser } from '../sessions/session-user';
import { AddedPerson, PasswordLinks, ResetLink } from '../users/password-links';
import { TotpService } from '../users/totp.service';
import { AddUserRequest, ChangeUserRequest } from '../users/users.requests';
import { UsersService } from '../users/users.service';

const TeamResponse = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        id: Id,
        email: Type.String(),
        name: Type.String(),
        role: Type.Union(TEAM_ROLES.map((role) => Type.Literal(role))),
        invited: Type.Boolean({ description: 'Whether the person has not set a password yet.' }),
        totp: Type.Boolean({ description: 'Whether the person has two-step login.' }),
        created_at: IsoTime,
      }),
    ),
  },
  { title: 'Team' },
);

/** The users of a business. */
@Controller('api/client/team')
@NeedsSession()
export class TeamController {
  constructor(
    private readonly users: UsersService,
    private readonly links: PasswordLinks,
    private readonly totp: TotpService,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get()
  @Responds(TeamResponse, 'List the people of the business')
  async list(@CurrentUser() { business_id }: BusinessUser) {
    return { users: await this.users.listByBusiness(business_id) };
  }

  @Post()
  @Responds(AddedPerson, 'Add a person with a password, or invite them with a link', { errors: ['CONFLICT'] })
  async add(@CurrentUser() owner: BusinessUser, @Body() request: AddUserRequest) {
    return this.links.added(await this.users.addToBusiness(owner, owner.business_id, request));
  }

  @Patch(':id')
  @Responds(Done, 'Change the role of a person; it takes effect at once', { errors: ['CONFLICT'] })
  async changeRole(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: ChangeUserRequest) {
    await this.users.changeRole(owner, id, request);
    return { message: 'Role changed.' };
  }

  @Post(':id/reset')
  @Responds(ResetLink, 'Make a link with which a person sets a new password', { errors: ['CONFLICT'] })
  async reset(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.links.reset(await this.users.reset(owner, id));
  }

  @Delete(':id/totp')
  @Responds(Done, 'Turn two-step login off for a person who lost their codes; their sessions end', { errors: ['CONFLICT'] })
  async removeTotp(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.totp.removeFor(owner, id);
    return { message: 'Two-step login is off for this person.' };
  }

  @Delete(':id')
  @Responds(Done, 'Remove a person; their sessions end at once', { errors: ['CONFLICT'] })
  async remove(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.users.remove(owner, id);
    // Sessions end whether or not this succeeds. The inbox repeats it when it shows a conversation that stays assigned.
    await this.rpc
      .call(UnassignConversations, { business_id: owner.business_id, user_id: id })
      .catch((error: unknown) => this.logger.warn({ err: error }, 'the conversations of a removed person stay assigned'));
    return { message: 'Removed.' };
  }
}
