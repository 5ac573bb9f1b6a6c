package org.keyline.protocol.client;

/** The use of TLS by a client connection. */
public enum TlsMode {
    OFF,
    /** Uses TLS if the server offers it. Does not check the certificate. */
    PREFERRED,
    /** Requires TLS. Does not check the certificate. */
    REQUIRED,
    /** Requires TLS with a certificate that is trusted and names the host. */
    VERIFY
}
