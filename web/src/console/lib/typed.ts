// What the types that openapi-typescript makes say about a call, in the words of our clients.

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have the method; those without it have `never` there. */
export type PathsWith<P, M extends Method> = {
  [K in keyof P]: P[K] extends { [X in M]: { responses: unknown } } ? K : never;
}[keyof P];

type JsonOf<R> = R extends { content: infer C } ? C[keyof C] : undefined;
/** The body of the success, undefined for 204. */
export type Answer<O> = O extends { responses: infer R } ? JsonOf<R[Extract<keyof R, 200 | 201 | 202>]> : never;
export type Body<O> = O extends { requestBody: { content: infer C } } ? C[keyof C] : undefined;
export type PathParams<O> = O extends { parameters: { path: infer P } } ? P : Record<never, never>;
export type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : Record<string, never>;
