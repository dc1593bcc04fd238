import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime } from '@mgw/contracts';
import { IdPipe } from '../requests/id.pipe';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, Roles, SessionOf } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { AddedPerson, PasswordLinks, ResetLink } from '../users/password-links';
import { AddUserRequest } from '../users/users.requests';
import { UsersService } from '../users/users.service';

const TeamResponse = Type.Object(
  {
    users: Type.Array(
      Type.Object({
        id: Id,
        email: Type.String(),
        name: Type.String(),
        role: Type.Union([Type.Literal('owner'), Type.Literal('member')]),
        invited: Type.Boolean({ description: 'Whether the person has not set a password yet.' }),
        created_at: IsoTime,
      }),
    ),
  },
  { title: 'Team' },
);

/** The users of a business. Owners manage it, members work with messages. */
@Controller('api/client/team')
@SessionOf('owner', 'member')
export class TeamController {
  constructor(
    private readonly users: UsersService,
    private readonly links: PasswordLinks,
  ) {}

  @Get()
  @Responds(TeamResponse, 'List the people of the business')
  async list(@CurrentUser() { business_id }: BusinessUser) {
    return { users: await this.users.listByBusiness(business_id) };
  }

  @Post()
  @Roles(['owner'])
  @Responds(AddedPerson, 'Add a person with a password, or invite them with a link', { errors: ['CONFLICT'] })
  async add(@CurrentUser() owner: BusinessUser, @Body() request: AddUserRequest) {
    return this.links.added(await this.users.addToBusiness(owner, owner.business_id, request));
  }

  @Post(':id/reset')
  @Roles(['owner'])
  @Responds(ResetLink, 'Make a link with which a person sets a new password', { errors: ['CONFLICT'] })
  async reset(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.links.reset(await this.users.reset(owner, id));
  }

  @Delete(':id')
  @Roles(['owner'])
  @Responds(Done, 'Remove a person; their sessions end at once', { errors: ['CONFLICT'] })
  async remove(@CurrentUser() owner: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.users.remove(owner, id);
    return { message: 'Removed.' };
  }
}
