import { RequestMethod, type Type as Class } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { ModulesContainer } from '@nestjs/core';
import type { Permission } from '@mgw/contracts';
import { Needs } from '../access/rest-api';
import { descriptionOf, type Description } from '../responses/responds';
import { rolesOf } from '../sessions/route-roles';
import type { Role } from '../sessions/session-user';

/** One method and path of the API, as its controller declares it. */
export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Parameters as `{name}`. */
  path: string;
  description: Description;
  body: Class | undefined;
  query: Class | undefined;
  permission: Permission | undefined;
  /** The roles of a session that may call; undefined without a session. */
  roles: readonly Role[] | undefined;
}

/** All endpoints. @throws Error for a method without @Responds, so that the document is complete */
export function endpointsOf(modules: ModulesContainer): Endpoint[] {
  const controllers = [...modules.values()].flatMap((module) => [...module.controllers.values()].map(({ metatype }) => metatype as Class));
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const handler = (controller.prototype as Record<string, unknown>)[name] as object;
      const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      return verb === undefined ? [] : [endpointOf(controller, name, handler, verb)];
    }),
  );
}

function endpointOf(controller: Class, name: string, handler: object, verb: RequestMethod): Endpoint {
  const description = descriptionOf(controller, name);
  if (!description) throw new Error(`${controller.name}.${name} has no @Responds: the API's document would lack it`);
  const parts = [controller, handler].map((target) => (Reflect.getMetadata(PATH_METADATA, target) as string).replace(/^\/|\/$/g, ''));
  const method = RequestMethod[verb];
  const url = `/${parts.filter((part) => part !== '').join('/')}`;
  const path = url.replace(/:(\w+)/g, '{$1}').replace('*', `{${description.wildcard ?? ''}}`);
  return {
    method: method.toLowerCase() as Endpoint['method'],
    path,
    description,
    body: argument(controller, name, RouteParamtypes.BODY),
    query: argument(controller, name, RouteParamtypes.QUERY),
    permission: Reflect.getMetadata(Needs.KEY, handler) as Permission | undefined,
    roles: rolesOf(method, url) ?? undefined,
  };
}

/** The class of the body or query argument. */
function argument(controller: Class, name: string, kind: RouteParamtypes): Class | undefined {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const found = Object.entries(args).find(([key]) => key.startsWith(`${kind}:`));
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as Class[];
  return found && types[found[1].index];
}
