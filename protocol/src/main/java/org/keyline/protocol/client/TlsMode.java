package org.keyline.protocol.client;

/** The use of TLS by a client connection. */
public enum TlsMode {
    OFF,
    /** Does not check the certificate. */
    PREFERRED,
    /** Does not check the certificate. */
    REQUIRED,
    /** The certificate must be trusted and name the host. */
    VERIFY
}
