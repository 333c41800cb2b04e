/**
 * Keeps the test pool from slowing down with each object that it makes. It puts a new Proxy around the
 * prototype of its wrapper class, which has the last one inside, whenever an object is made
 * (`createProxyPrototypeClass` in @cloudflare/vitest-pool-workers 0.23). Where files share a runtime that
 * is thousands of them, and each access to a property goes through all, checking all at each.
 */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';

type Construct = typeof Reflect.construct;
type Wrapper = NewableFunction & { prototype: object };

const WRAPPED: ReadonlySet<unknown> = new Set([DurableObject, WorkerEntrypoint]);

/** The prototype of each wrapper, with one Proxy around it. */
const firstPrototypes = new WeakMap<Wrapper, object>();

// The pool alone makes objects of these classes by `Reflect.construct`.
if (!Object.hasOwn(Reflect, 'isShort')) {
  const construct = Reflect.construct;
  Object.defineProperty(Reflect, 'isShort', { value: true });
  Reflect.construct = ((target: Wrapper, args: unknown[], wrapper: Wrapper = target) => {
    if (WRAPPED.has(target)) {
      const first = firstPrototypes.get(wrapper);
      if (first === undefined) firstPrototypes.set(wrapper, wrapper.prototype);
      else wrapper.prototype = first;
    }
    return construct(target, args, wrapper);
  }) as Construct;
}
