package org.keyline.stores.mysql.catalog;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificate authorities of {@code store.authority}, for connections with Java's own TLS. The
 * catalog needs them as a file; the change signal needs them as an {@link SSLContext}. Immutable.
 */
public final class Authorities {
    static final String TYPE = "PKCS12";
    /** The password of the file, which contains only public certificates. */
    static final String PASSWORD = "keyline";

    private final KeyStore store;
    private final Path file;

    private Authorities(KeyStore store, Path file) {
        this.store = store;
        this.file = file;
    }

    /**
     * Reads certificates, and writes them to a temporary key store, which is deleted at exit.
     *
     * @param pem a file of certificates
     * @throws IOException if the file cannot be read, or contains no certificate
     */
    public static Authorities read(Path pem) throws IOException {
        try (InputStream in = Files.newInputStream(pem)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IOException("the file " + pem + " contains no certificate; it must be a PEM file");
            }
            KeyStore store = KeyStore.getInstance(TYPE);
            store.load(null, null);
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("authority" + store.size(), certificate);
            }
            Path file = Files.createTempFile("keyline-authority", ".p12");
            file.toFile().deleteOnExit();
            try (OutputStream out = Files.newOutputStream(file)) {
                store.store(out, PASSWORD.toCharArray());
            }
            return new Authorities(store, file);
        } catch (GeneralSecurityException e) {
            throw new IOException(pem + ": " + e.getMessage(), e);
        }
    }

    String url() {
        return file.toUri().toString();
    }

    /** Returns a context that trusts only these certificates. */
    public SSLContext context() throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
