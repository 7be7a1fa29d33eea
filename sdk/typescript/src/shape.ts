import { type Answer, jsonOf, Malformed } from './transport.js';

/** @internal What an answer must look like at least: fields that are not named here may be there or not. */
export type Shape = 'string' | 'number' | 'boolean' | 'object' | [Shape] | { [field: string]: Shape };

/** @internal Fails when a value is not of a shape. */
export function check(value: unknown, shape: Shape, where = 'the answer'): void {
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) throw new Malformed(`${where} is not an array`);
    for (const inner of value) check(inner, shape[0], where);
  } else if (typeof shape === 'string') {
    if (typeof value !== shape)
      throw new Malformed(`${where} is ${value === undefined ? 'missing' : `not a ${shape}`}`);
  } else {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Malformed(`${where} is ${value === undefined ? 'missing' : 'not an object'}`);
    }
    for (const [field, inner] of Object.entries(shape)) check((value as Record<string, unknown>)[field], inner, field);
  }
}

/** @internal Reads an answer that has a shape. */
export function shaped<T>(shape: Shape): (answer: Answer) => T {
  return (answer) => {
    const value = jsonOf(answer);
    check(value, shape);
    return value as T;
  };
}

/** @internal Reads an answer without content. */
export function nothing(): void {}
