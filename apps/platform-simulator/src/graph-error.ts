interface FailureOptions {
  /** HTTP status, 400 by default. */
  status?: number;
  subcode?: number;
  details?: string;
  is_transient?: boolean;
  headers?: Record<string, string>;
}

/** An error in the platform's form (platform §1.6). */
export class GraphFailure extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: number,
    readonly text: string,
    private readonly options: FailureOptions = {},
  ) {
    super(text);
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }

  body(traceId: string): Record<string, unknown> {
    const { subcode, details, is_transient } = this.options;
    return {
      error: {
        message: `(#${this.code}) ${this.text}`,
        type: 'OAuthException',
        code: this.code,
        ...(is_transient !== undefined && { is_transient }),
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(details !== undefined && { error_data: { messaging_product: 'whatsapp', details } }),
        fbtrace_id: traceId,
      },
    };
  }
}

export const missingObject = (id: string) =>
  new GraphFailure(100, `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions`, {
    subcode: 33,
  });
