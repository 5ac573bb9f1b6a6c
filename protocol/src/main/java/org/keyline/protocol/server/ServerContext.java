package org.keyline.protocol.server;

import java.util.concurrent.Executor;
import org.keyline.protocol.auth.ServerAuthenticator;

/**
 * What all connections of one server share. Thread-safe.
 *
 * @param options greeting and limits
 * @param authenticator default plugin, RSA key and remembered digests
 * @param accounts who may log in
 * @param sessions opens a session after login
 * @param listener hears what happens
 * @param passwordWork runs the slow steps of an authentication, which take milliseconds, outside event loops
 */
public record ServerContext(
        ServerOptions options,
        ServerAuthenticator authenticator,
        Accounts accounts,
        SessionFactory sessions,
        ServerListener listener,
        Executor passwordWork) {}
