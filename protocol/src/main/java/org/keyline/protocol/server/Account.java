package org.keyline.protocol.server;

import java.util.Objects;
import org.keyline.protocol.auth.Credential;

/**
 * An account to which a user may log in.
 *
 * @param credential the password's stored form and its plugin
 */
public record Account(String name, Credential credential) {
    public Account {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(credential, "credential is null");
    }
}
