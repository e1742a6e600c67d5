import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { Refusal } from './refusal.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Whether an address of `--host` can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Lets requests in that name this machine, so that no foreign name can be pointed at it (DNS rebinding), and none that a
 * web page of another origin has made. For a daemon on loopback, where a token may be missing.
 */
export function localOnly(): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (!isLoopback(nameOf(host))) {
      throw new Refusal(403, 'The Host header must name this machine, as in the URL that the daemon has printed.');
    }
    await next();
  };
}

/** Refuses what a web page of another origin sends. */
export function sameOrigin(): MiddlewareHandler {
  return async (context, next) => {
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${context.req.header('host') ?? ''}`) {
      throw new Refusal(403, 'Requests from web pages of another origin are refused.');
    }
    await next();
  };
}

/** Asks for the token, and compares in constant time. */
export function withToken(token: string): MiddlewareHandler {
  const expected = digest(token);
  const error = 'Send the token of the daemon, with Authorization: Bearer <token>.';
  return bearerAuth({
    verifyToken: (given) => timingSafeEqual(digest(given), expected),
    noAuthenticationHeader: { message: { error } },
    invalidAuthenticationHeader: { message: { error } },
    invalidToken: { message: { error } },
  });
}

/** All of one length, whatever the token's. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}
