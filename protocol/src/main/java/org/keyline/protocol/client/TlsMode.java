package org.keyline.protocol.client;

/** The use of TLS by a client connection. */
public enum TlsMode {
    /** Never. */
    OFF,
    /** Uses TLS if the server offers it; does not check the certificate. */
    PREFERRED,
    /** Fails without TLS; does not check the certificate. */
    REQUIRED,
    /** Fails without TLS; the certificate must be trusted and name the host. */
    VERIFY
}
