package org.keyline.protocol.server;

import java.util.Objects;
import org.keyline.protocol.auth.Credential;

/**
 * An account that a user may log in to.
 *
 * @param name what CURRENT_USER() says, such as {@code root@127.0.0.1}
 * @param credential what the password is checked against, and by which plugin
 */
public record Account(String name, Credential credential) {
    public Account {
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(credential, "credential is null");
    }
}
