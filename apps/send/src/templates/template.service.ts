import { Inject, Injectable } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import {
  FindTemplates,
  GatewayError,
  SyncTemplates,
  TemplatesChanged,
  type FoundTemplate,
  type TemplateName,
  type TemplateShape,
} from '@mgw/contracts';
import { RpcClient, type RpcContext } from '@mgw/rpc';
import { requiredCall } from '../required-call';

interface ApprovedTemplate {
  template: TemplateShape;
  /** Approved languages other than the requested one. */
  otherLanguages: string[];
}

/** Caches approved templates from the template service. Its announcement invalidates them. */
@Injectable()
export class TemplateService {
  private readonly cache = new RefreshingCache<TemplateName, FoundTemplate, RpcContext>({
    load: async (names, context) => (await requiredCall(this.rpc, FindTemplates, { names }, context)).found,
    // Two bytes for each character, and about as much for the objects.
    sizeOf: (found) => 4 * JSON.stringify(found).length,
    serveStaleOnError: true,
  });

  constructor(@Inject(RpcClient) private readonly rpc: RpcClient) {
    rpc.listen(TemplatesChanged, ({ business_id }) => this.invalidate(business_id));
  }

  /**
   * Finds the approved template of this name in exactly this language, without a fallback (decision 14).
   * @throws GatewayError TEMPLATE_NOT_FOUND
   */
  async findApproved(businessId: number, name: string, language: string, context: RpcContext): Promise<ApprovedTemplate> {
    const key = `${businessId}/${JSON.stringify([name, language])}`;
    const { template, available_languages, similar } = await this.cache.get(
      key,
      () => ({ business_id: businessId, name, language }),
      context,
    );
    if (template !== null) return { template, otherLanguages: available_languages.filter((other) => other !== language) };
    throw new GatewayError('TEMPLATE_NOT_FOUND', `Template "${name}" does not exist or is not approved in language "${language}".`, {
      available_languages,
      hint:
        available_languages.length > 0
          ? `It is approved in: ${available_languages.join(', ')}. Name one of them as the language.`
          : `${similar === undefined ? '' : `Did you mean "${similar}"? `}List the approved templates with GET /templates.`,
    });
  }

  /** Drops cached templates and starts a sync, because the platform's templates differ from ours. */
  async refresh(businessId: number): Promise<void> {
    this.invalidate(businessId);
    await this.rpc.call(SyncTemplates, { business_id: businessId });
  }

  private invalidate(businessId: number): void {
    this.cache.invalidate((key) => key.startsWith(`${businessId}/`));
  }
}
